// Charts over time, drawn by uPlot in the colours of the theme.
import { h, onMounted, onUnmounted, ref, watch } from '/assets/vue.js';
import uPlot from '/assets/vendor/uplot.js';
import { clock, compact, moment } from '/assets/console/format.js';
import { theme, zone } from '/assets/console/settings.js';
import { words } from '/assets/console/words.js';
import { language } from '/assets/texts.js';

const t = words({
  en: { line: '{name}: last {last}, highest {most}', nothing: '{name}: nothing', joined: '{label}. {lines}', comma: '; ' },
  zh: { line: '{name}：最新 {last}，最高 {most}', nothing: '{name}：无数据', joined: '{label}。{lines}', comma: '；' },
});

const probe = document.createElement('span');
probe.hidden = true;
document.body.append(probe);

/** Returns a colour of the design system as the theme has it. */
function color(name) {
  probe.style.color = `var(--${name})`;
  return getComputedStyle(probe).color;
}

/** Draws vertical lines with a label where something happened, such as a release. */
function marks(read) {
  return {
    hooks: {
      draw: (plot) => {
        const { ctx, bbox } = plot;
        read().forEach((mark) => {
          const x = plot.valToPos(mark.at / 1000, 'x', true);
          if (x < bbox.left || x > bbox.left + bbox.width) {
            return;
          }
          ctx.save();
          ctx.strokeStyle = color(mark.color ?? 'accent');
          ctx.fillStyle = color(mark.color ?? 'accent');
          ctx.lineWidth = devicePixelRatio;
          ctx.setLineDash([4 * devicePixelRatio, 3 * devicePixelRatio]);
          ctx.beginPath();
          ctx.moveTo(x, bbox.top);
          ctx.lineTo(x, bbox.top + bbox.height);
          ctx.stroke();
          ctx.font = `600 ${11 * devicePixelRatio}px system-ui, sans-serif`;
          const width = ctx.measureText(mark.label).width;
          const left = x + width + 8 * devicePixelRatio > bbox.left + bbox.width;
          ctx.textAlign = left ? 'right' : 'left';
          ctx.fillText(mark.label, x + (left ? -4 : 4) * devicePixelRatio, bbox.top + 12 * devicePixelRatio);
          ctx.restore();
        });
      },
    },
  };
}

/**
 * A chart.
 *
 * @param times milliseconds
 * @param series [{label, values, color (a name of the design system), fill, dash, format}]
 * @param marks [{at: milliseconds, label, color}]
 * @param height in pixels
 * @param label what the chart shows, for those who do not see it
 * @param onSelect (from, to) in milliseconds, when a span was dragged
 */
export function chart(options) {
  return h(Chart, { options });
}

/** What the chart shows, and the last and highest value of each line, for those who do not see it. */
function summary({ label, series }) {
  const lines = series.map((each) => {
    const known = each.values.filter((value) => value !== null && value !== undefined);
    const format = each.format ?? compact;
    return known.length === 0 ? t('nothing', { name: each.label })
      : t('line', { name: each.label, last: format(known.at(-1)), most: format(known.reduce((most, value) => Math.max(most, value), known[0])) });
  });
  return t('joined', { label, lines: lines.join(t('comma')) });
}

const Chart = {
  props: ['options'],
  setup(props) {
    const place = ref(null);
    let plot = null;
    let observer = null;

    const columns = () => [
      props.options.times.map((time) => time / 1000),
      ...props.options.series.map((series) => series.values),
    ];

    function build() {
      plot?.destroy();
      const { series, height = 220, onSelect } = props.options;
      const axis = { stroke: color('soft'), grid: { stroke: color('line'), width: 1 }, ticks: { show: false }, font: '11px system-ui, sans-serif' };
      const span = () => {
        const times = props.options.times;
        return times.length > 1 ? times[times.length - 1] - times[0] : 0;
      };
      const time = (value) => (span() > 86_400_000 ? moment(value * 1000, { hours: span() < 864_000_000 }) : clock(value * 1000, { seconds: span() < 900_000 }));
      plot = new uPlot({
        width: Math.max(80, place.value.clientWidth),
        height,
        padding: [8, 20, 0, 0],
        legend: { show: false },
        cursor: { points: { size: 6 }, drag: { x: Boolean(onSelect), y: false } },
        scales: { x: { time: true }, y: { range: (self, low, high) => [0, Math.max(1, (high ?? 0) * 1.15)] } },
        axes: [
          { ...axis, space: 80, size: 26, values: (self, values) => values.map(time) },
          { ...axis, size: 46, values: (self, values) => values.map((value) => compact(value)) },
        ],
        series: [
          { value: (self, value) => (value === null ? '' : moment(value * 1000, { seconds: true })) },
          ...series.map((each) => ({
            label: each.label,
            stroke: color(each.color),
            width: each.dash ? 1.25 : 2,
            dash: each.dash ? [5, 4] : undefined,
            fill: each.fill ? color(each.fill) : undefined,
            points: { show: false },
            spanGaps: true,
          })),
        ],
        plugins: [marks(() => props.options.marks ?? []), tooltip(() => props.options)],
        hooks: onSelect ? { setSelect: [(self) => {
          if (self.select.width > 4) {
            onSelect(self.posToVal(self.select.left, 'x') * 1000, self.posToVal(self.select.left + self.select.width, 'x') * 1000);
            self.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
          }
        }] } : {},
      }, columns(), place.value);
    }

    onMounted(() => {
      build();
      observer = new ResizeObserver(() => {
        const width = place.value?.clientWidth ?? 0;
        if (width > 0 && width !== plot.width) {
          plot.setSize({ width, height: props.options.height ?? 220 });
        }
      });
      observer.observe(place.value);
    });
    onUnmounted(() => {
      observer?.disconnect();
      plot?.destroy();
    });
    watch([theme, language, zone, () => props.options.series.map((each) => `${each.label}${each.color}`).join()], () => {
      requestAnimationFrame(() => place.value && build());
    });
    watch(() => props.options, (options, before) => {
      if (plot && options.series.length === before.series.length) {
        plot.setData(columns());
      }
    });
    return () => h('div', { class: 'chart', ref: place, role: 'img', 'aria-label': summary(props.options) });
  },
};

/** Shows the values at the pointer. */
function tooltip(read) {
  let box = null;
  return {
    hooks: {
      init: (plot) => {
        box = document.createElement('div');
        box.className = 'chart-tip';
        box.hidden = true;
        plot.over.append(box);
        plot.over.addEventListener('mouseleave', () => { box.hidden = true; });
      },
      setCursor: (plot) => {
        const { idx, left } = plot.cursor;
        if (idx === null || idx === undefined || left < 0) {
          box.hidden = true;
          return;
        }
        const options = read();
        box.replaceChildren();
        const at = document.createElement('div');
        at.className = 'chart-tip-time';
        at.textContent = moment(options.times[idx], { seconds: true });
        box.append(at);
        options.series.forEach((series) => {
          const value = series.values[idx];
          if (value === null || value === undefined) {
            return;
          }
          const line = document.createElement('div');
          const name = document.createElement('span');
          name.textContent = series.label;
          const figure = document.createElement('b');
          figure.textContent = series.format ? series.format(value) : compact(value);
          line.append(name, figure);
          box.append(line);
        });
        box.hidden = false;
        const width = plot.over.clientWidth;
        box.style.left = `${left > width / 2 ? left - box.offsetWidth - 12 : left + 12}px`;
        box.style.top = '6px';
      },
    },
  };
}

/** The names of the lines of a chart, with their colours. */
export function legend(series) {
  return h('div', { class: 'legend' }, series.map((each) => h('span', { key: each.label }, [
    h('span', { class: ['legend-line', each.dash ? 'dash' : '', `c-${each.color}`], 'aria-hidden': 'true' }), each.label])));
}
