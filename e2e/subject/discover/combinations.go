// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package discover

import (
	"fmt"
	"slices"
	"strings"

	"github.com/draconform/draconform/e2e/subject/driverfile"
	"github.com/draconform/draconform/e2e/subject/published"
)

// maxMix is the number of partitions up to which a mix is extended.
const maxMix = 4

// chosenKind is a kind of partitions with the request for it.
type chosenKind struct {
	partitionKind
	request request
}

// combinations returns the fields big, mix and full, as far as the counters of
// every parent allow them.
func (d *discovery) combinations(small chosenKind, kinds []partitionKind) []field {
	var others []chosenKind
	for _, kind := range kinds {
		if q, ok := d.requests.find(kind.devices); ok && len(q.selected) == len(kind.devices) {
			others = append(others, chosenKind{kind, q})
		}
	}
	p := d.partitioning
	return []field{p.big(small, others), p.mix(small, others), p.full(small, others)}
}

// onEvery reports whether a condition holds for all parents with partitions of
// the first kind. The devices of each kind on the parent are its arguments.
func (p *partitioning) onEvery(holds func(parent *published.Parent, lists [][]*published.Device) bool, kinds ...chosenKind) bool {
	found := false
	for _, parent := range p.parents {
		lists := make([][]*published.Device, len(kinds))
		for i, kind := range kinds {
			lists[i] = parent.Of(kind.set)
		}
		if len(lists[0]) == 0 {
			continue
		}
		if found = true; !holds(parent, lists) {
			return false
		}
	}
	return found
}

func fit(parent *published.Parent, lists [][]*published.Device) bool { return parent.Fits(lists...) }

// big returns the largest kind of which two fit on each parent, and one fits
// together with a small one.
func (p *partitioning) big(small chosenKind, others []chosenKind) field {
	for _, kind := range slices.Backward(others) {
		if kind.fit >= 2 && p.onEvery(fit, small, kind) {
			return field{fmt.Sprintf("%s Two of them fit on each parent, or one of them and one of small.", sentence(p.several(len(kind.devices), kind.partitionKind))), "big", kind.request.Device}
		}
	}
	return field{why: "big: there is no other kind of which two fit on a parent, or one and a small one."}
}

// mix returns partitions of different kinds that fit on each parent together.
func (p *partitioning) mix(small chosenKind, others []chosenKind) field {
	mix := []chosenKind{small}
	for _, kind := range slices.Backward(others) {
		if len(mix) < maxMix && p.onEvery(fit, append(slices.Clone(mix), kind)...) {
			mix = append(mix, kind)
		}
	}
	if len(mix) < 2 {
		return field{why: "mix: no two kinds fit on a parent together."}
	}
	return field{fmt.Sprintf("They fit on each parent together: %s.", p.names(mix)), "mix", devicesOf(mix)}
}

// full returns the fewest partitions of one kind that leave no room for a small
// one, wherever they are.
func (p *partitioning) full(small chosenKind, others []chosenKind) field {
	var full []chosenKind
	leavesNoRoom := func(parent *published.Parent, lists [][]*published.Device) bool {
		return parent.Fills(lists[1:], lists[0])
	}
	for _, kind := range append(slices.Clone(others), small) {
		several := slices.Repeat([]chosenKind{kind}, kind.fit)
		if (full == nil || len(several) < len(full)) && len(several) > 1 && p.onEvery(leavesNoRoom, append([]chosenKind{small}, several...)...) {
			full = several
		}
	}
	if full == nil {
		return field{why: "full: no number of partitions of one kind always leaves no room for a small one."}
	}
	return field{fmt.Sprintf("On any parent, they leave no room for small: %s.", p.several(len(full), full[0].partitionKind)), "full", devicesOf(full)}
}

func devicesOf(kinds []chosenKind) []driverfile.Device {
	var devices []driverfile.Device
	for _, kind := range kinds {
		devices = append(devices, kind.request.Device)
	}
	return devices
}

func (p *partitioning) names(kinds []chosenKind) string {
	var names []string
	for _, kind := range kinds {
		names = append(names, p.several(1, kind.partitionKind))
	}
	return strings.Join(names, ", ")
}
