import app from './app.json';
import builder from './builder.json';
import content from './content.json';
import entry from './entry.json';
import field from './field.json';
import media from './media.json';
import rights from './rights.json';
import settings from './settings.json';
import ui from './ui.json';
import view from './view.json';

export const english = { ...app, ...builder, ...content, ...entry, ...field, ...media, ...rights, ...settings, ...ui, ...view };
export type Messages = typeof english;
