// Small helpers for elements of the page.
type Attributes = Record<string, string | number | boolean | ((event: Event) => void) | undefined>;

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') made.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== false) made.setAttribute(name, value === true ? '' : String(value));
  }
  made.append(...children);
  return made;
}

export const byId = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;

const icons: Record<string, string> = {
  play: 'M5 3l10 6-10 6z',
  pause: 'M4 3h3.6v12H4zM10.4 3H14v12h-3.6z',
  back: 'M12 3v12L5 9zM3 3h2v12H3z',
  next: 'M6 3v12l7-6zM13 3h2v12h-2z',
  restart: 'M9 3a6 6 0 1 1-5.6 3.9l1.9.7A4 4 0 1 0 9 5v2.6L4.8 4 9 .6z',
};

export function iconButton(icon: string, title: string, click: () => void): HTMLButtonElement {
  const button = element('button', { class: 'icon', title, 'aria-label': title, onclick: click });
  setIcon(button, icon);
  return button;
}

export function setIcon(button: HTMLButtonElement, icon: string) {
  button.innerHTML = `<svg viewBox="0 0 18 18" width="18" height="18"><path d="${icons[icon]}"/></svg>`;
  button.dataset.icon = icon;
}

let hiding = 0;
export function notice(text: string, seconds = 6) {
  const place = byId('notice');
  place.textContent = text;
  place.classList.toggle('shown', text !== '');
  window.clearTimeout(hiding);
  if (seconds > 0) hiding = window.setTimeout(() => place.classList.remove('shown'), 1000 * seconds);
}
