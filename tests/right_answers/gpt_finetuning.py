# %% few_shot_prompt: another form, on one line
def few_shot_prompt(examples, query, instruction=""):
    prompt = instruction + "\n\n" if instruction else ""
    for text, label in examples:
        prompt += f"Review: {text} => {label}\n\n"
    return prompt + f"Review: {query} =>"
