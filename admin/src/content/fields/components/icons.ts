/** Icons by the names in v4's builder, and by Font Awesome's names in older versions; in lowercase. */
import type { Component } from 'svelte';
import Archive from '@lucide/svelte/icons/archive';
import Bold from '@lucide/svelte/icons/bold';
import Book from '@lucide/svelte/icons/book';
import Box from '@lucide/svelte/icons/box';
import Briefcase from '@lucide/svelte/icons/briefcase';
import Brush from '@lucide/svelte/icons/brush';
import Calendar from '@lucide/svelte/icons/calendar';
import Car from '@lucide/svelte/icons/car';
import ChartPie from '@lucide/svelte/icons/chart-pie';
import ChartScatter from '@lucide/svelte/icons/chart-scatter';
import Check from '@lucide/svelte/icons/check';
import CircleQuestionMark from '@lucide/svelte/icons/circle-question-mark';
import Clock from '@lucide/svelte/icons/clock';
import Cloud from '@lucide/svelte/icons/cloud';
import Code from '@lucide/svelte/icons/code';
import Coffee from '@lucide/svelte/icons/coffee';
import Columns2 from '@lucide/svelte/icons/columns-2';
import Command from '@lucide/svelte/icons/command';
import Crop from '@lucide/svelte/icons/crop';
import Crown from '@lucide/svelte/icons/crown';
import Database from '@lucide/svelte/icons/database';
import Earth from '@lucide/svelte/icons/earth';
import Eye from '@lucide/svelte/icons/eye';
import Feather from '@lucide/svelte/icons/feather';
import File from '@lucide/svelte/icons/file';
import FileText from '@lucide/svelte/icons/file-text';
import Folder from '@lucide/svelte/icons/folder';
import Funnel from '@lucide/svelte/icons/funnel';
import Gauge from '@lucide/svelte/icons/gauge';
import Gift from '@lucide/svelte/icons/gift';
import Globe from '@lucide/svelte/icons/globe';
import Grid2x2 from '@lucide/svelte/icons/grid-2x2';
import Grid3x3 from '@lucide/svelte/icons/grid-3x3';
import HandHeart from '@lucide/svelte/icons/hand-heart';
import Hash from '@lucide/svelte/icons/hash';
import Headphones from '@lucide/svelte/icons/headphones';
import Heart from '@lucide/svelte/icons/heart';
import House from '@lucide/svelte/icons/house';
import Image from '@lucide/svelte/icons/image';
import Images from '@lucide/svelte/icons/images';
import Info from '@lucide/svelte/icons/info';
import Key from '@lucide/svelte/icons/key';
import Layers from '@lucide/svelte/icons/layers';
import LayoutDashboard from '@lucide/svelte/icons/layout-dashboard';
import Lightbulb from '@lucide/svelte/icons/lightbulb';
import Link from '@lucide/svelte/icons/link';
import List from '@lucide/svelte/icons/list';
import Lock from '@lucide/svelte/icons/lock';
import Mail from '@lucide/svelte/icons/mail';
import MapPin from '@lucide/svelte/icons/map-pin';
import Megaphone from '@lucide/svelte/icons/megaphone';
import MessageSquare from '@lucide/svelte/icons/message-square';
import MessagesSquare from '@lucide/svelte/icons/messages-square';
import Mic from '@lucide/svelte/icons/mic';
import Monitor from '@lucide/svelte/icons/monitor';
import Moon from '@lucide/svelte/icons/moon';
import Mountain from '@lucide/svelte/icons/mountain';
import Music from '@lucide/svelte/icons/music';
import Paintbrush from '@lucide/svelte/icons/paintbrush';
import Palette from '@lucide/svelte/icons/palette';
import Pencil from '@lucide/svelte/icons/pencil';
import Phone from '@lucide/svelte/icons/phone';
import Pin from '@lucide/svelte/icons/pin';
import Plane from '@lucide/svelte/icons/plane';
import Play from '@lucide/svelte/icons/play';
import Plug from '@lucide/svelte/icons/plug';
import Plus from '@lucide/svelte/icons/plus';
import Presentation from '@lucide/svelte/icons/presentation';
import Puzzle from '@lucide/svelte/icons/puzzle';
import Quote from '@lucide/svelte/icons/quote';
import RefreshCw from '@lucide/svelte/icons/refresh-cw';
import Rocket from '@lucide/svelte/icons/rocket';
import Scissors from '@lucide/svelte/icons/scissors';
import Search from '@lucide/svelte/icons/search';
import Send from '@lucide/svelte/icons/send';
import Server from '@lucide/svelte/icons/server';
import Settings from '@lucide/svelte/icons/settings';
import Shield from '@lucide/svelte/icons/shield';
import Shirt from '@lucide/svelte/icons/shirt';
import ShoppingCart from '@lucide/svelte/icons/shopping-cart';
import Sprout from '@lucide/svelte/icons/sprout';
import SquarePen from '@lucide/svelte/icons/square-pen';
import Star from '@lucide/svelte/icons/star';
import Store from '@lucide/svelte/icons/store';
import Sun from '@lucide/svelte/icons/sun';
import Tag from '@lucide/svelte/icons/tag';
import TextAlignStart from '@lucide/svelte/icons/text-align-start';
import ThumbsUp from '@lucide/svelte/icons/thumbs-up';
import TrainFront from '@lucide/svelte/icons/train-front';
import Tv from '@lucide/svelte/icons/tv';
import User from '@lucide/svelte/icons/user';
import Users from '@lucide/svelte/icons/users';
import Utensils from '@lucide/svelte/icons/utensils';
import Volume2 from '@lucide/svelte/icons/volume-2';
import WandSparkles from '@lucide/svelte/icons/wand-sparkles';

export type Icons = Readonly<Record<string, Component<{ size?: number | string; 'aria-hidden'?: boolean | 'true' }>>>;

export const ICONS: Icons = {
  apps: Grid2x2,
  archive: Archive,
  alignleft: TextAlignStart,
  bold: Bold,
  book: Book,
  briefcase: Briefcase,
  brush: Brush,
  bulletlist: List,
  list: List,
  bullhorn: Megaphone,
  calendar: Calendar,
  car: Car,
  chartbubble: ChartScatter,
  chartcircle: ChartPie,
  chartpie: ChartPie,
  check: Check,
  clock: Clock,
  cloud: Cloud,
  code: Code,
  cog: Settings,
  columns: Columns2,
  command: Command,
  connector: Plug,
  crop: Crop,
  crown: Crown,
  cube: Box,
  cup: Coffee,
  dashboard: Gauge,
  database: Database,
  discuss: MessagesSquare,
  earth: Earth,
  envelop: Mail,
  envelope: Mail,
  eye: Eye,
  feather: Feather,
  file: File,
  filepdf: FileText,
  filter: Funnel,
  folder: Folder,
  gift: Gift,
  globe: Globe,
  grid: Grid3x3,
  handheart: HandHeart,
  hashtag: Hash,
  headphone: Headphones,
  heart: Heart,
  house: House,
  home: House,
  images: Images,
  image: Image,
  information: Info,
  infocircle: Info,
  key: Key,
  landscape: Mountain,
  layer: Layers,
  layout: LayoutDashboard,
  lightbulb: Lightbulb,
  link: Link,
  lock: Lock,
  magic: WandSparkles,
  message: MessageSquare,
  microphone: Mic,
  monitor: Monitor,
  moon: Moon,
  music: Music,
  paint: Palette,
  paintbrush: Paintbrush,
  paperplane: Send,
  pencil: Pencil,
  phone: Phone,
  picture: Image,
  pin: Pin,
  pinmap: MapPin,
  plane: Plane,
  play: Play,
  plus: Plus,
  pricetag: Tag,
  puzzle: Puzzle,
  question: CircleQuestionMark,
  quote: Quote,
  quoteright: Quote,
  refresh: RefreshCw,
  restaurant: Utensils,
  rocket: Rocket,
  scissors: Scissors,
  search: Search,
  seed: Sprout,
  server: Server,
  shield: Shield,
  shirt: Shirt,
  shoppingcart: ShoppingCart,
  slideshow: Presentation,
  stack: Layers,
  star: Star,
  store: Store,
  sun: Sun,
  television: Tv,
  thumbup: ThumbsUp,
  train: TrainFront,
  user: User,
  users: Users,
  volumeup: Volume2,
  write: SquarePen,
};
