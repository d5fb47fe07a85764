package allocator

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/allocator/internal/capacity"
	"github.com/draconform/draconform/allocator/internal/search"
)

const (
	maxExamples = 3
	maxReasons  = 8
)

// reasons groups devices that are excluded for the same reason.
type reasons struct {
	order []*Reason
	known map[reasonKey]*Reason
}

type reasonKey struct {
	kind    ReasonKind
	message string
}

func (r *reasons) add(reason *Reason, e *explainer, b *books, position int) {
	key := reasonKey{reason.Kind, reason.Message}
	known := r.known[key]
	if known == nil {
		if r.known == nil {
			r.known = map[reasonKey]*Reason{}
		}
		known = reason
		r.known[key] = known
		r.order = append(r.order, known)
	}
	known.Devices++
	if len(known.Examples) < maxExamples {
		known.Examples = append(known.Examples, b.name(position))
	}
	e.nameHolders(known, b, position)
}

// nameHolders adds the claims that hold the device or that use its counter.
func (e *explainer) nameHolders(reason *Reason, b *books, position int) {
	if e.holders == nil {
		return
	}
	word, i := b.device(position)
	switch reason.Kind {
	case ReasonInUse, ReasonCapacityLeft, ReasonAffinity:
		for _, name := range e.holders(word.Slice.ID(i)) {
			reason.hold(strings.TrimPrefix(name.String(), "/"))
		}
	case ReasonCounter:
		for j, users := range b.counters[word.Pool].users {
			counter := &b.Node.Pools[word.Pool].Core.Counters[j]
			if counter.SetName+"/"+counter.Name != reason.Name {
				continue
			}
			for _, user := range users {
				for _, name := range e.holders(user.slice.ID(user.index)) {
					reason.hold(strings.TrimPrefix(name.String(), "/"))
				}
			}
		}
	default: // No claim is responsible.
	}
}

func (r *Reason) hold(name string) {
	if len(r.Holders) < maxExamples && !slices.Contains(r.Holders, name) {
		r.Holders = append(r.Holders, name)
	}
}

// list returns the reasons, the most useful first. It merges the reasons after the first maxReasons by kind.
func (r *reasons) list() []Reason {
	slices.SortStableFunc(r.order, func(a, b *Reason) int {
		return cmp.Or(cmp.Compare(slices.Index(usefulness, a.Kind), slices.Index(usefulness, b.Kind)), cmp.Compare(b.Devices, a.Devices))
	})
	var list []Reason
	rest := map[ReasonKind]*Reason{}
	for i, reason := range r.order {
		if i < maxReasons {
			list = append(list, *reason)
			continue
		}
		sum := rest[reason.Kind]
		if sum == nil {
			sum = &Reason{Kind: reason.Kind, Message: reason.Message, Examples: reason.Examples, Expression: reason.Expression}
			rest[reason.Kind] = sum
		} else {
			sum.Message, sum.Expression = fmt.Sprintf("other reasons of kind %s", reason.Kind), ""
		}
		sum.Devices += reason.Devices
	}
	for _, kind := range usefulness {
		if sum := rest[kind]; sum != nil {
			list = append(list, *sum)
		}
	}
	return list
}

func sortedNames(requests capacity.Requests) []resourceapi.QualifiedName {
	return slices.Sorted(maps.Keys(requests))
}

func errorsIsBudget(err error) bool { return errors.Is(err, search.ErrBudget) }

// oneLine returns the text of an error without line breaks.
func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }

// shortened cuts a text to the given number of bytes without splitting a UTF-8 character.
func shortened(text string, most int) string {
	if len(text) <= most {
		return text
	}
	const mark = "..."
	cut := max(0, most-len(mark))
	for cut > 0 && text[cut]&0xC0 == 0x80 {
		cut--
	}
	return text[:cut] + mark[:min(len(mark), most)]
}
