// The exercise's page once it is solved there: each answer's cell becomes a text area with its check below.
"use strict";

(() => {
  const WORDS = {
    ko: {
      stages: {
        python: (m) => `Python을 받고 있습니다(약 ${m.python} MB).`,
        packages: (m) => `채점에 쓰는 패키지를 받고 있습니다(약 ${m.packages} MB).`,
        torch: (m) => `torch를 받고 있습니다(약 ${m.torch} MB).`,
        bundle: (m) => `연습과 채점기를 받고 있습니다(약 ${m.bundle} MB).`,
        checker: () => "채점기를 여는 중입니다.",
        ready: () => "준비되었습니다. 아래의 답 칸을 채우고 확인을 누르십시오.",
      },
      failed: {
        stopped: "멈췄습니다. 확인을 누르면 다시 시작합니다.",
        network: (host) => `Python을 받지 못했습니다(${host}). 연결을 확인하고 다시 누르십시오.`,
        torch: "torch가 이 Pyodide에서 열리지 않습니다. 책을 펴낸 분에게 알려 주십시오. 그때까지는 연습 꾸러미로 풀 수 있습니다.",
        memory: "이 기기의 메모리가 모자랍니다. 다른 탭을 닫고 다시 누르거나, 컴퓨터에서 여십시오.",
        crash: "Python이 스스로 멈췄습니다. 답이 끝없이 자기를 부르지 않는지 보십시오. 확인을 누르면 새로 시작합니다.",
        browser: "이 브라우저에서는 Python이 돌지 않습니다. 브라우저를 새 판으로 바꾸거나 연습 꾸러미를 쓰십시오.",
      },
      keys: "Tab은 들여쓰기, Shift+Tab은 내어쓰기, Shift+Enter는 확인입니다. Esc를 누르고 Tab을 누르면 칸을 나갑니다.",
      answer: (question) => `${question}의 답`,
      check: "확인",
      all: "전체 확인",
      stop: "멈추기",
      retry: "다시 받기",
      reset: "처음 코드로",
      sure: (question) => `${question}에 쓴 것을 지우고 처음 코드로 되돌립니다.`,
      download: "노트북으로 내려받기",
      downloaded: "답을 넣은 노트북을 내려받았습니다. 제출하거나 컴퓨터에서 이어서 풉니다.",
      checking: "확인하고 있습니다.",
      checked: "확인했습니다.",
      writing: "노트북을 만들고 있습니다.",
      printed: "출력",
      home: "이 칸은 여기서 실행하지 않습니다. 아래에서 노트북을 내려받아 컴퓨터에서 실행합니다.",
      renewed: "쓰던 답을 그대로 두었습니다. 그 뒤로 이 문제의 처음 코드가 바뀌었으니 문제를 다시 읽어 보십시오.",
      unkept: "이 브라우저는 답을 보관하지 않습니다. 쪽을 떠나기 전에 노트북으로 내려받으십시오.",
    },
    en: {
      stages: {
        python: (m) => `Loading Python (about ${m.python} MB).`,
        packages: (m) => `Loading the packages that check (about ${m.packages} MB).`,
        torch: (m) => `Loading torch (about ${m.torch} MB).`,
        bundle: (m) => `Loading the exercises and the checker (about ${m.bundle} MB).`,
        checker: () => "Opening the checker.",
        ready: () => "Ready. Fill in the answers below and press Check.",
      },
      failed: {
        stopped: "Stopped. Check starts again.",
        network: (host) => `Python could not be loaded (${host}). Check the connection and try again.`,
        torch: "Torch does not open in this Pyodide. Please tell whoever publishes the book; until then, download the exercises.",
        memory: "This device has not enough memory. Close other tabs and try again, or use a computer.",
        crash: "Python has crashed. See whether an answer calls itself without end. Check starts it again.",
        browser: "Python does not run in this browser. Take a newer one, or download the exercises.",
      },
      keys: "Tab indents, Shift+Tab goes back, Shift+Enter checks. Esc and then Tab leaves the field.",
      answer: (question) => `Answer to ${question}`,
      check: "Check",
      all: "Check all",
      stop: "Stop",
      retry: "Try again",
      reset: "Start over",
      sure: (question) => `This removes what you have written for ${question} and brings the first code back.`,
      download: "Download the notebook",
      downloaded: "The notebook with your answers has been downloaded, to hand in or to go on with on a computer.",
      checking: "Checking.",
      checked: "Checked.",
      writing: "Writing the notebook.",
      printed: "Output",
      home: "This cell does not run here. Download the notebook below and run it on a computer.",
      renewed: "What you wrote is as you left it. The code that this question begins from has changed since: read the question again.",
      unkept: "This browser keeps no answers. Download the notebook before you leave the page.",
    },
  };
  const language = document.documentElement.lang in WORDS ? document.documentElement.lang : "en";
  const words = WORDS[language];
  const ID = "solve-"; // begins the ids of cells (extensions/solve_here.py)
  const CLOSING = "closing";

  function make(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  const button = (label, action) => {
    const made = make("button", { type: "button", class: "quiz-button" }, label);
    made.addEventListener("click", () => made.ariaDisabled !== "true" && action());
    return made;
  };

  // place: the element at the top of the page; start: its button
  courseSolve.open = (place, start) => {
    const { address, torch, stem } = place.dataset;
    const megabytes = JSON.parse(place.dataset.pieces);
    const root = new URL(document.documentElement.dataset.content_root, location.href);
    const settings = {
      stem, torch,
      address: new URL(address, root).href,
      bundle: new URL("downloads/exercises.zip", root).href,
      book: root.href.replace(/\/(en\/)?$/, ""), // the English edition lies in the Korean one, which the checker knows
    };
    if (torch) settings.torch = new URL(torch, root).href;
    const fields = new Map(); // question: { area, stub, show }
    const blocks = [];
    const answers = courseSolve.answers(stem, () => fields.forEach((field) => field.show()));
    let busy = null; // the block that waits for Python

    const python = courseSolve.python(settings, (stage) => {
      place.status.textContent = "";
      (busy ?? place).status.textContent = words.stages[stage](megabytes);
    });

    const why = ({ kind }) => (kind === "network" ? words.failed.network(new URL(settings.address).host) : words.failed[kind]);

    // At the top of the page: loading can be stopped, and tried again.
    const cancel = button(words.stop, python.stop);
    const retry = button(words.retry, begin);
    const ready = () => python.start().then(() => place.controls.replaceChildren());
    async function begin() {
      const focused = [start, retry].includes(document.activeElement);
      place.controls.replaceChildren(cancel);
      if (focused) cancel.focus({ preventScroll: true });
      try {
        await ready();
      } catch (problem) {
        place.status.textContent = why(problem);
        place.controls.replaceChildren(retry);
      }
    }

    // One task at a time, from the block whose button was pressed; what comes of it, or null.
    async function run(block, task, given, doing) {
      if (busy) return null;
      busy = block;
      blocks.forEach((one) => one.draw(busy));
      const texts = Object.fromEntries([...fields].map(([question, { area }]) => [question, area.value]));
      try {
        await ready();
        block.status.textContent = doing;
        return await python.run(task, { answers: texts, ...given });
      } catch (problem) {
        block.status.textContent = why(problem);
        return null;
      } finally {
        const focused = document.activeElement === block.stop;
        busy = null;
        blocks.forEach((one) => one.draw(busy));
        if (focused) block.go.focus({ preventScroll: true });
      }
    }

    // Buttons, status and output in the place of a cell
    function blockFor(label, action, ...more) {
      const block = {
        go: button(label, action),
        stop: button(words.stop, python.stop),
        status: make("p", { class: "solve-status", role: "status" }),
        said: make("div", { class: "solve-said" }),
        draw(busy) {
          block.stop.hidden = busy !== block;
          block.go.ariaDisabled = String(busy !== null);
        },
      };
      const controls = make("div", { class: "quiz-controls" }, block.go, block.stop, ...more);
      block.element = make("div", { class: "solve-block" }, controls, block.status, block.said);
      blocks.push(block);
      block.draw(null);
      return block;
    }

    // Without a question, of all
    async function check(block, question) {
      const found = await run(block, "check", { question, language }, words.checking);
      if (!found) return;
      block.said.innerHTML = found.report;
      if (found.printed) {
        const output = make("pre", { tabindex: "0", role: "region", "aria-label": words.printed }, found.printed);
        block.said.append(make("p", {}, words.printed), output);
      }
      block.status.textContent = words.checked;
    }

    function question(cell, name) {
      const stub = cell.querySelector("pre").textContent.replace(/\n$/, "");
      const keys = make("p", { class: "solve-keys", id: `${ID}${name}-keys` }, words.keys);
      const area = make("textarea", {
        class: "solve-answer", "aria-label": words.answer(name), "aria-describedby": keys.id,
        wrap: "off", spellcheck: "false", autocapitalize: "off", autocomplete: "off", autocorrect: "off", translate: "no",
      });
      const reset = button(words.reset, () => {
        if (!confirm(words.sure(name))) return;
        answers.keep(name, stub, stub);
        field.show();
        area.focus({ preventScroll: true });
      });
      const block = blockFor(words.check, () => check(block, name), reset);
      const { fit } = courseSolve.editor(area, () => check(block, name));
      const field = {
        area,
        show() {
          const kept = answers.of(name, stub);
          const text = kept?.text ?? stub;
          if (area.value !== text) area.value = text; // it may be being written in
          block.status.textContent = kept?.renewed ? words.renewed : "";
          fit();
        },
      };
      area.addEventListener("input", () => {
        if (!answers.keep(name, area.value, stub)) block.status.textContent = words.unkept;
      });
      block.element.prepend(area, keys);
      fields.set(name, field);
      field.show();
      cell.after(block.element);
      cell.hidden = true;
    }

    function closing(cell) {
      const download = button(words.download, async () => {
        const text = await run(block, "notebook", {}, words.writing);
        if (text === null) return;
        const href = URL.createObjectURL(new Blob([text], { type: "application/x-ipynb+json" }));
        make("a", { href, download: `${stem}.ipynb` }).click();
        setTimeout(() => URL.revokeObjectURL(href), 60_000);
        block.status.textContent = words.downloaded;
      });
      const block = blockFor(words.all, () => check(block), download);
      cell.after(block.element);
      cell.hidden = true;
    }

    for (const cell of document.querySelectorAll(`.cell[id^="${ID}"]`)) {
      const name = cell.id.slice(ID.length);
      if (name === CLOSING) closing(cell);
      else question(cell, name);
    }
    document.querySelectorAll(".solve-check").forEach((cell) => (cell.hidden = true));
    document.querySelectorAll(".solve-home").forEach((cell) => cell.before(make("p", { class: "solve-note" }, words.home)));
    place.offer.remove();
    begin();
  };
})();
