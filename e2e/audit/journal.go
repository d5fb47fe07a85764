package audit

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

// mostStates is how many states a journal keeps: more than come up between two looks.
const mostStates = 4096

// object is what a journal is about.
type object[T any] interface {
	*T
	metav1.Object
}

// journal has the states of all objects of a kind, one after the other, as a reflector tells it of them. It is safe for
// concurrent use.
type journal[T any, P object[T]] struct {
	// matters says whether an object makes a difference at all, and same whether two states of one make none.
	matters func(P) bool
	same    func(a, b P) bool

	mu     sync.Mutex
	now    map[string]P
	states []state[P]
	// changed is closed when something has changed, and then made anew.
	changed chan struct{}
}

// state is what there was of a kind at some time.
type state[P any] struct {
	objects []P
	// gap says that there may have been others between the state that was asked for last and this one.
	gap bool
	// same says that it makes no difference to the one before.
	same bool
}

func newJournal[T any, P object[T]](matters func(P) bool, same func(a, b P) bool) *journal[T, P] {
	return &journal[T, P]{matters: matters, same: same, now: map[string]P{}, changed: make(chan struct{})}
}

// Add implements [cache.ReflectorStore].
func (j *journal[T, P]) Add(one any) error { return j.put(one, false) }

// Update implements [cache.ReflectorStore].
func (j *journal[T, P]) Update(one any) error { return j.put(one, false) }

// Delete implements [cache.ReflectorStore].
func (j *journal[T, P]) Delete(one any) error { return j.put(one, true) }

// Resync implements [cache.ReflectorStore].
func (j *journal[T, P]) Resync() error { return nil }

// Replace implements [cache.ReflectorStore]. That happens at the beginning, and where the reflector had to begin anew.
func (j *journal[T, P]) Replace(all []any, _ string) error {
	now := map[string]P{}
	for _, one := range all {
		key, typed, err := identify[P](one)
		if err != nil {
			return err
		}
		if j.matters(typed) {
			now[key] = typed
		}
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.now = now
	j.add(state[P]{gap: true})
	return nil
}

func (j *journal[T, P]) put(one any, gone bool) error {
	key, typed, err := identify[P](one)
	if err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	before, there := j.now[key]
	if gone || !j.matters(typed) {
		if there {
			delete(j.now, key)
			j.add(state[P]{})
		}
		return nil
	}
	j.now[key] = typed
	j.add(state[P]{same: there && j.same(before, typed)})
	return nil
}

func identify[P metav1.Object](one any) (string, P, error) {
	typed, ok := one.(P)
	if !ok {
		return "", typed, fmt.Errorf("%T is not %T", one, typed)
	}
	return cache.MetaObjectToName(typed).String(), typed, nil
}

// all is what there is now. The caller holds the lock.
func (j *journal[T, P]) all() []P {
	var all []P
	for _, key := range slices.Sorted(maps.Keys(j.now)) {
		all = append(all, j.now[key])
	}
	return all
}

// add notes what there is now, and wakes up who waits for it. The caller holds the lock.
func (j *journal[T, P]) add(s state[P]) {
	if len(j.states) == mostStates {
		j.states, s.gap = nil, true
	}
	s.objects = j.all()
	j.states = append(j.states, s)
	close(j.changed)
	j.changed = make(chan struct{})
}

// until finds the last state that has these objects, and returns the states since the one that was found the last time, without
// either and those that make no difference. seamless says that there were no others. Without such a state more is closed when there may be one.
func (j *journal[T, P]) until(objects []T) (before [][]P, seamless, found bool, more <-chan struct{}) {
	wanted := map[string]P{}
	for i := range objects {
		if one := P(&objects[i]); j.matters(one) {
			wanted[cache.MetaObjectToName(one).String()] = one
		}
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	for i, s := range slices.Backward(j.states) {
		if !j.has(s.objects, wanted) {
			continue
		}
		first := i // of those that make no difference to the one that was found
		for first > 0 && j.states[first].same {
			first--
		}
		seamless = !j.states[0].gap
		for k := 1; k <= i; k++ {
			seamless = seamless && !j.states[k].gap
			if k < first && !j.states[k].same {
				before = append(before, j.states[k].objects)
			}
		}
		j.states = slices.Clone(j.states[i:])
		j.states[0].gap = false
		return before, seamless, true, j.changed
	}
	return nil, false, false, j.changed
}

// miss notes that a state was not found: how those that come are connected with it is not known.
func (j *journal[T, P]) miss() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.states) > 0 {
		j.states[0].gap = true
	}
}

// has reports whether a state is that of the wanted objects.
func (j *journal[T, P]) has(state []P, wanted map[string]P) bool {
	if len(state) != len(wanted) {
		return false
	}
	for _, one := range state {
		other, ok := wanted[cache.MetaObjectToName(one).String()]
		if !ok || one.GetUID() != other.GetUID() || one.GetResourceVersion() != other.GetResourceVersion() {
			return false
		}
		// Clients for tests store no versions.
		if one.GetResourceVersion() == "" && !j.same(one, other) {
			return false
		}
	}
	return true
}

// pointedAt are copies of what pointers point at.
func pointedAt[T any](pointers []*T) []T {
	values := make([]T, len(pointers))
	for i, p := range pointers {
		values[i] = *p
	}
	return values
}
