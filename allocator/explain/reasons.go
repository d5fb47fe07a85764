// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/allocator/internal/capacity"
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

// add counts a device for a reason.
func (r *reasons) add(reason *Reason, e *explainer, u *nodeUsage, position int) {
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
		known.Examples = append(known.Examples, u.name(position))
	}
	e.addHolders(known, u, position)
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
