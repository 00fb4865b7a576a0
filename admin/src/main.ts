import { mount } from 'svelte';
import App from './App.svelte';
import { tellMissingParts } from './app/missing';
import { applyTheme } from './app/theme.svelte';
import './ui/fonts.css';
import './ui/tokens.css';
import './ui/base.css';

applyTheme();
tellMissingParts();
const target = document.getElementById('app');
if (target) mount(App, { target });
