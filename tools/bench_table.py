"""Tables and a chart of benchmark results; see bench.py."""
import statistics


def number(value):
    """Three significant digits."""
    if value >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def series(runs, metric):
    return [run[metric]["value"] for run in runs if metric in run]


def median(runs, metric):
    return statistics.median(series(runs, metric))


def best_of(runs):
    """The best single epoch of all runs."""
    lines = [run["steps_per_s"] for run in runs if "steps_per_s" in run]
    return max(max(line["value"], line.get("best", 0)) for line in lines)


def pair_ratios(ours, theirs, metric, higher_is_better):
    pairs = zip(series(ours, metric), series(theirs, metric))
    return [a / b if higher_is_better else b / a for a, b in pairs]


def training_rows(results, flops, limit):
    """A row per case and peer: the median of the runs' medians, and the ratio of each pair."""
    rows = []
    for case, peers in results.items():
        for (peer, variant), (ours, theirs) in peers.items():
            if not series(theirs, "steps_per_s"):
                continue
            ratios = pair_ratios(ours, theirs, "steps_per_s", True)
            row = dict(case=case, peer=f"{peer} {variant}", ours=median(ours, "steps_per_s"),
                       theirs=median(theirs, "steps_per_s"), their_best=best_of(theirs), ratios=ratios,
                       ratio=statistics.median(ratios))
            if case in flops and limit:
                row["share"] = row["ours"] * flops[case] / limit
            for metric in ("time_to_first_step", "peak_rss"):
                for side, runs in (("ours", ours), ("theirs", theirs)):
                    if series(runs, metric):
                        row[f"{metric} {side}"] = median(runs, metric)
            rows.append(row)
    return rows


def training_table(rows):
    out = ["| case | Antler, steps/s | of the fp32 peak | peer | its steps/s (best epoch) | ratio of each pair | median |",
           "|---|---|---|---|---|---|---|"]
    for row in rows:
        share = f"{100 * row['share']:.0f} %" if row.get("share", 0) >= 0.005 else "-"
        ratios = ", ".join(f"{r:.2f}" for r in row["ratios"])
        out.append(f"| {row['case']} | {number(row['ours'])} | {share} | {row['peer']} | "
                   f"{number(row['theirs'])} ({number(row['their_best'])}) | {ratios} | **{row['ratio']:.2f}** |")
    return out


def start_table(rows):
    out = ["| case | first step, Antler | peer | its first step | peak memory, Antler | its peak memory |",
           "|---|---|---|---|---|---|"]
    for row in rows:
        if "time_to_first_step ours" not in row or "time_to_first_step theirs" not in row:
            continue
        memory = [f"{row[f'peak_rss {side}']:,.0f} MiB" if f"peak_rss {side}" in row else "-"
                  for side in ("ours", "theirs")]
        out.append(f"| {row['case']} | {number(1e3 * row['time_to_first_step ours'])} ms | {row['peer']} | "
                   f"{number(1e3 * row['time_to_first_step theirs'])} ms | {memory[0]} | {memory[1]} |")
    return out


def latency_table(peers):
    """Latency of predict() and of calling the model, in microseconds."""
    ours = [run for runs, _ in peers.values() for run in runs]
    metrics = sorted({m for run in ours for m in run if "latency" in m})
    out = ["| latency, us | Antler | " + " | ".join(f"{p} {v}" for p, v in peers) + " |", "|---|---|" + "---|" * len(peers)]
    for metric in metrics:
        cells = [number(median(theirs, metric)) if series(theirs, metric) else "-" for _, theirs in peers.values()]
        if any(cell != "-" for cell in cells):
            label = metric.replace("_latency_b", ", batch ").replace("_", " ")
            out.append(f"| {label} | {number(median(ours, metric))} | " + " | ".join(cells) + " |")
    return out


def bars(rows):
    """An SVG bar chart of each case's ratio to its best peer, with a line at 1."""
    best = {}
    for row in rows:
        if row["case"] not in best or row["ratio"] < best[row["case"]]["ratio"]:
            best[row["case"]] = row
    height, left, width = 26, 130, 460
    top = max(row["ratio"] for row in best.values())
    scale = width / max(top, 1.5)
    total = height * len(best) + 50
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 190}" height="{total}" '
           'font-family="sans-serif" font-size="13">',
           f'<text x="{left}" y="18" font-weight="bold">Steps per second, ratio to the best peer</text>']
    for i, (case, row) in enumerate(best.items()):
        y = 30 + i * height
        length = row["ratio"] * scale
        out.append(f'<text x="{left - 8}" y="{y + 15}" text-anchor="end">{case}</text>')
        out.append(f'<rect x="{left}" y="{y}" width="{length:.0f}" height="{height - 6}" fill="#7a4b2a"/>')
        out.append(f'<text x="{left + length + 6:.0f}" y="{y + 15}">{row["ratio"]:.2f} ({row["peer"].split()[0]})</text>')
    x = left + scale
    out.append(f'<line x1="{x:.0f}" y1="24" x2="{x:.0f}" y2="{total - 16}" stroke="#444" stroke-dasharray="4 3"/>')
    out.append(f'<text x="{x:.0f}" y="{total - 3}" text-anchor="middle">1</text></svg>')
    return "\n".join(out) + "\n"
