# %% SentimentClassifier: the head in a sequence as well
class SentimentClassifier(nn.Module):
    def __init__(self, bert):
        super().__init__()
        self.W_hy = nn.Linear(bert.config.hidden_size, 1)
        self.head = nn.Sequential(self.W_hy, nn.Sigmoid())
        self.encoder = bert
        self.register_buffer("eps", torch.tensor(1e-7))

    def forward(self, X):
        return self.encoder(
            input_ids=X[:, 0], token_type_ids=X[:, 1], attention_mask=X[:, 2]
        ).last_hidden_state

    def predict(self, X):
        return self.head(self.forward(X)[:, 0, :])

    def training_step(self, X, y):
        return F.binary_cross_entropy(self.predict(X), y, reduction="sum")


# %% Analyser: no_grad as a decorator, a device object
class Analyser:
    def __init__(self, classifier, tokenizer, device):
        self.classifier, self.tokenizer, self.device = classifier, tokenizer, torch.device(device)

    @torch.no_grad()
    def __call__(self, text):
        before = {module: module.training for module in self.classifier.modules()}
        self.classifier.eval()
        p = float(self.classifier.predict(build_X([text], self.tokenizer, self.device))[0, 0])
        for module, mode in before.items():
            module.training = mode
        return p


# %% Analyser: its own tokens
class Analyser:
    def __init__(self, classifier, tokenizer, device):
        self.classifier, self.tokenizer, self.device = classifier, tokenizer, device

    def __call__(self, text):
        modes = [module.training for module in self.classifier.modules()]
        self.classifier.eval()
        batch = self.tokenizer([text], return_tensors="pt")
        names = ["input_ids", "token_type_ids", "attention_mask"]
        X = torch.stack([batch[name] for name in names], dim=1).to(self.device)
        with torch.inference_mode():
            p = self.classifier.predict(X).item()
        for module, mode in zip(self.classifier.modules(), modes):
            module.training = mode
        return p


# %% freeze: one parameter after another
def freeze(bert):
    for parameter in bert.parameters():
        parameter.requires_grad = False
    bert.train(False)
    return bert
