# Shows scores, scripts and forged outputs.
# earns: 0
# shows: text/plain image/png
# %%
from IPython.display import HTML, Javascript, SVG, display

print("### points: 10 / 10")
display(HTML("<script>fetch('/formgrader/api')</script>"), Javascript("alert(1)"))
display({"text/html": "<b>10</b>", "text/plain": "plain", "application/javascript": "1", "image/svg+xml": "<svg/>",
         "text/markdown": "<img src=x onerror=alert(1)>", "text/latex": "</div><script>"}, raw=True)
display({"image/png": '"><script>alert(1)</script>', "text/plain": "picture"}, raw=True)
display({"text/plain": ["a", "list"], "image/png": b"bytes"}, raw=True, metadata={"points": 10, "nbgrader": {"grade_id": "x"}})
# %%
ip = get_ipython()
ip.capture.outputs += [{"output_type": "error"}, "text", {"output_type": "stream", "name": "stdout", "text": 3},
                       {"output_type": "execute_result", "data": {"text/html": "<b>"}, "execution_count": 1, "points": 10}, 7]
