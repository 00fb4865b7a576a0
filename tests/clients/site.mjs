// What the scripts share: where the service is, and a picture to upload.

export const BASE = process.env.OCTAVO_BASE;
export const TOKEN = process.env.OCTAVO_TOKEN;
export const NAME = `${process.env.OCTAVO_CLIENT}-${Date.now()}`;
export const PASSWORD = "correct-Horse-7";

// A PNG of one pixel.
export const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

export function picture(name) {
  const form = new FormData();
  form.append("files", new Blob([PIXEL], { type: "image/png" }), name);
  form.append("fileInfo", JSON.stringify({ alternativeText: "a pixel" }));
  return form;
}
