import { mount } from 'svelte';
import { applyTheme } from '../src/app/theme.svelte';
import '../src/ui/fonts.css';
import '../src/ui/tokens.css';
import '../src/ui/base.css';
import Gallery from './Gallery.svelte';

applyTheme();
const target = document.getElementById('app');
if (target) mount(Gallery, { target });
