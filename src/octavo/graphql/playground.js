
"use strict";
const of = (id) => document.getElementById(id);

function operation() {
  const variables = of("variables").value.trim();
  return { query: of("query").value, variables: variables ? JSON.parse(variables) : {} };
}

async function run() {
  const status = of("status");
  let body;
  try {
    body = JSON.stringify(operation());
  } catch (error) {
    status.textContent = "Variables: " + error.message;
    return;
  }
  const token = of("token").value.trim();
  const headers = { "Content-Type": "application/json", ...(token ? { Authorization: "Bearer " + token } : {}) };
  status.textContent = "\u2026";
  const start = performance.now();
  try {
    const response = await fetch(location.pathname, { method: "POST", headers, body });
    const text = await response.text();
    status.textContent = response.status + " in " + Math.round(performance.now() - start) + " ms";
    try {
      of("answer").value = JSON.stringify(JSON.parse(text), null, 2);
    } catch {
      of("answer").value = text;
    }
  } catch (error) {
    status.textContent = error.message;
  }
}

of("run").addEventListener("click", run);
document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) run();
});
