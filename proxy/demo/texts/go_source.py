"""Go files of the invented project: the edge service that talks to kiosks, cranes and gauges."""

from __future__ import annotations

import random
from collections.abc import Sequence
from string import Template

from proxy.demo.texts.vocabulary import THINGS, Thing, words

_TYPES = {"text": "string", "number": "int", "money": "decimal.Decimal", "time": "time.Time", "flag": "bool"}

_STORE = """
// Store keeps the $things that wait for $where. It is safe for concurrent use.
type Store struct {
	mu    sync.RWMutex
	items map[string]$Thing
	now   func() time.Time
}

// Put keeps item unless a newer version is held already.
func (s *Store) Put(item $Thing) error {
	if err := item.Validate(); err != nil {
		return fmt.Errorf("put $thing %q: %w", item.$text_, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if held, ok := s.items[item.$text_]; ok && held.Version >= item.Version {
		return &StaleError{Key: item.$text_, Held: held.Version, Sent: item.Version}
	}
	s.items[item.$text_] = item
	return nil
}

// Due lists what is $first and past its time, oldest first, at most limit.
func (s *Store) Due(limit int) []$Thing {
	s.mu.RLock()
	defer s.mu.RUnlock()
	due := make([]$Thing, 0, limit)
	for _, item := range s.items {
		if item.State == "$first" && item.$time_.Before(s.now()) {
			due = append(due, item)
		}
	}
	sort.Slice(due, func(a, b int) bool { return due[a].$time_.Before(due[b].$time_) })
	if len(due) > limit {
		due = due[:limit]
	}
	return due
}
"""

_HANDLER = """
// ${Action}Handler answers POST /edge/$things/{key}/$action for the kiosks of $whom.
func ${Action}Handler(store *Store, ledger Ledger, log *slog.Logger) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			$number_ int    `json:"$number"`
			Reason   string `json:"reason"`
		}
		decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, $large<<10))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&body); err != nil {
			writeError(w, http.StatusBadRequest, fmt.Sprintf("body of $action: %v", err))
			return
		}
		if body.$number_ < 0 || body.$number_ > $large {
			writeError(w, http.StatusUnprocessableEntity, "$number must be between 0 and $large")
			return
		}
		key := r.PathValue("key")
		ctx, cancel := context.WithTimeout(r.Context(), $small*time.Second)
		defer cancel()
		receipt, err := ledger.$Action(ctx, key, body.$number_, body.Reason)
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			writeError(w, http.StatusGatewayTimeout, "the ledger did not answer within $small s")
		case err != nil:
			log.Error("$action failed", "key", key, "err", err)
			writeError(w, http.StatusBadGateway, "the ledger refused the $thing")
		default:
			writeJSON(w, http.StatusOK, receipt)
		}
	}
}
"""

_WORKER = """
// Run ${action}s due $things until ctx ends. Each worker takes from one queue; order is kept per key.
func (p *Pool) Run(ctx context.Context, workers int) error {
	group, ctx := errgroup.WithContext(ctx)
	queues := make([]chan $Thing, workers)
	for i := range queues {
		queue := make(chan $Thing, $medium)
		queues[i] = queue
		group.Go(func() error {
			for item := range queue {
				if err := p.one(ctx, item); err != nil && !errors.Is(err, ErrClaimed) {
					p.failed.Add(1)
					p.log.Warn("$thing left for the next round", "$text", item.$text_, "err", err)
				}
			}
			return nil
		})
	}
	group.Go(func() error {
		defer closeAll(queues)
		ticker := time.NewTicker($small * time.Second)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-ticker.C:
				for _, item := range p.store.Due($large) {
					queues[shard(item.$text_, workers)] <- item
				}
			}
		}
	})
	return group.Wait()
}
"""

_CLIENT = """
// Client asks the $thing feed of $where. The feed answers in pages and forgets a cursor after $medium minutes.
type Client struct {
	base   string
	http   *http.Client
	token  func() string
	slowed time.Duration
}

// Each calls take for every $thing since the given time; it stops at the first error that take returns.
func (c *Client) Each(ctx context.Context, since time.Time, take func($Thing) error) error {
	cursor := ""
	for page := 1; page <= $large; page++ {
		url := fmt.Sprintf("%s/$things?since=%s&cursor=%s&limit=$medium", c.base, since.Format(time.RFC3339), cursor)
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return fmt.Errorf("page %d of $things: %w", page, err)
		}
		request.Header.Set("Authorization", "Bearer "+c.token())
		answer, err := c.page(request)
		switch {
		case errors.Is(err, ErrGone):
			cursor, since = "", since.Add(-$small*time.Minute)
			continue
		case err != nil:
			return fmt.Errorf("page %d of $things: %w", page, err)
		}
		for _, item := range answer.Items {
			if err := take(item); err != nil {
				return fmt.Errorf("$thing %q: %w", item.$text_, err)
			}
		}
		if cursor = answer.Next; cursor == "" {
			return nil
		}
		time.Sleep(c.slowed)
	}
	return fmt.Errorf("$things since %s fill more than $large pages; ask for less", since)
}
"""

_METRICS = """
// Collector counts what the $thing store holds, by state, for the scrape that $where reads.
type Collector struct {
	store   *Store
	waiting *prometheus.Desc
	oldest  *prometheus.Desc
}

// Collect walks the store once; states that hold nothing are reported as 0, so that no line breaks off.
func (c *Collector) Collect(out chan<- prometheus.Metric) {
	counts := map[string]int{"$first": 0, "$second": 0, "$third": 0, "$fourth": 0}
	var oldest time.Time
	for _, item := range c.store.Snapshot() {
		counts[item.State]++
		if item.State == "$first" && (oldest.IsZero() || item.$time_.Before(oldest)) {
			oldest = item.$time_
		}
	}
	for state, count := range counts {
		out <- prometheus.MustNewConstMetric(c.waiting, prometheus.GaugeValue, float64(count), state)
	}
	if !oldest.IsZero() {
		out <- prometheus.MustNewConstMetric(c.oldest, prometheus.GaugeValue, c.store.now().Sub(oldest).Seconds())
	}
}
"""

_TESTS = """
func TestPutRefusesAnOlderVersion(t *testing.T) {
	store := newStore(t)
	require.NoError(t, store.Put(sample("K-$medium", $small)))
	err := store.Put(sample("K-$medium", $small-1))
	var stale *StaleError
	require.ErrorAs(t, err, &stale)
	require.Equal(t, $small, stale.Held)
}

func TestDueIsOldestFirstAndBounded(t *testing.T) {
	store := newStore(t)
	for minute := range $medium {
		require.NoError(t, store.Put(at(fmt.Sprintf("K-%03d", minute), minute)))
	}
	due := store.Due($small)
	require.Len(t, due, $small)
	require.True(t, sort.SliceIsSorted(due, func(a, b int) bool { return due[a].$time_.Before(due[b].$time_) }))
}
"""

_TEMPLATES = {
    "store": _STORE,
    "handler": _HANDLER,
    "worker": _WORKER,
    "client": _CLIENT,
    "metrics": _METRICS,
    "tests": _TESTS,
}


_INITIALS = frozenset({"id", "imo", "iso", "vat"})


def _exported(name: str) -> str:
    return "".join(word.upper() if word in _INITIALS else word.capitalize() for word in name.split("_"))


def _struct(thing: Thing) -> str:
    key = _exported(thing.first("text"))
    numbers = [name for name, kind in thing.fields if kind == "number"]
    return "\n".join(
        [
            f"\n// {thing.title} is one row of {thing.plural} as the ledger sends it.",
            f"type {thing.title} struct {{",
            *(f'\t{_exported(name)} {_TYPES[kind]} `json:"{name}"`' for name, kind in thing.fields),
            f'\t{_exported(thing.partner)}ID string `json:"{thing.partner}_id"`',
            '\tState string `json:"state"`',
            '\tVersion int `json:"version"`',
            "}",
            "\n// Validate names the first field that the ledger would refuse.",
            f"func (t {thing.title}) Validate() error {{",
            f'\tif t.{key} == "" {{',
            f'\t\treturn errors.New("{thing.name} without a key")',
            "\t}",
            *(_check(name) for name in numbers),
            "\treturn nil",
            "}\n",
        ]
    )


def _check(name: str) -> str:
    field = f"t.{_exported(name)}"
    message = f'"{name} is %d; it cannot be negative"'
    return f"\tif {field} < 0 {{\n\t\treturn fmt.Errorf({message}, {field})\n\t}}"


def go_file(thing: str, shapes: Sequence[str]) -> str:
    """A file of package `edge` about `thing`: any of struct, store, handler, worker, client, metrics, tests."""
    rng = random.Random(f"go {thing} {' '.join(shapes)}")
    held = THINGS[thing]
    exported = {f"{kind}_": _exported(held.first(kind)) for kind in ("text", "number", "time")}
    parts = [
        _struct(held) if shape == "struct" else Template(_TEMPLATES[shape]).substitute(words(held, rng) | exported)
        for shape in shapes
    ]
    imports = ("context", "encoding/json", "errors", "fmt", "log/slog", "net/http", "sort", "sync", "time")
    return "package edge\n\nimport (\n" + "".join(f'\t"{name}"\n' for name in imports) + ")\n" + "".join(parts)
