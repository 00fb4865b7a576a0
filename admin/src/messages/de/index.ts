import type { Messages } from '../en';
import app from './app.json';
import builder from './builder.json';
import content from './content.json';
import entry from './entry.json';
import field from './field.json';
import media from './media.json';
import rights from './rights.json';
import said from '../said/de.json';
import settings from './settings.json';
import ui from './ui.json';
import view from './view.json';

const german: Messages = { ...app, ...builder, ...content, ...entry, ...field, ...media, ...rights, ...settings, ...ui, ...view };
export default german;
export { said };
