// Pages opened as files cannot start workers: the search worker runs in a hidden frame instead.
(() => {
  if (location.protocol !== "file:") return;

  const load = (frame, url) =>
    new Promise((done, failed) => {
      const script = frame.contentDocument.createElement("script");
      script.src = url;
      script.onload = done;
      script.onerror = failed;
      frame.contentDocument.head.append(script);
    });

  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.onmessage = null;
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      const inside = this.frame.contentWindow;
      inside.postMessage = (data) => this.receive(data);
      inside.importScripts = (...urls) => urls.reduce((before, one) => before.then(() => load(this.frame, one)), Promise.resolve());
      this.ready = load(this.frame, new URL(url, location.href).href);
    }

    receive(data) {
      const event = new MessageEvent("message", { data });
      this.dispatchEvent(event);
      this.onmessage?.(event);
    }

    postMessage(data) {
      this.ready.then(() => {
        const inside = this.frame.contentWindow;
        const event = new inside.MessageEvent("message", { data });
        inside.dispatchEvent(event);
      });
    }

    terminate() {
      this.frame.remove();
    }
  };
})();
