import { mount } from 'svelte';
import App from './App.svelte';
import { applyTheme } from './app/theme.svelte';
import './ui/tokens.css';
import './ui/base.css';

applyTheme();
const target = document.getElementById('app');
if (target) mount(App, { target });
