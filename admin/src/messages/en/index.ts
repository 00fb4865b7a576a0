import app from './app.json';
import builder from './builder.json';
import content from './content.json';
import entry from './entry.json';
import media from './media.json';
import settings from './settings.json';

export const english = { ...app, ...builder, ...content, ...entry, ...media, ...settings };
export type Messages = typeof english;
