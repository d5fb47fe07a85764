// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package describe

import (
	"cmp"
	"fmt"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// connect sets the source of each device: the device that it consumes capacity
// from. The devices then form trees. The draft does not define nested sources
// in detail. This implementation interprets them as follows:
//
//   - A device consumes its own capacities from its source, from the source of
//     its source, and so on to the root ("this applies recursively"). It does not
//     consume capacities that it does not list.
//   - A device and any device above or below it exclude each other, regardless of
//     what they consume. According to the draft, a part of a device cannot be
//     allocated while the device is, and the reverse.
//   - The total consumption of the devices below a source never exceeds the
//     capacity of the source, even if the root has more.
//   - A device consumes only the capacities that it lists itself. Allocating it
//     does not reserve the rest of its source. Another device in the tree may
//     use that rest if the root has it. Counters are additive and cannot express
//     "the source once, however many of its parts are in use".
//   - A device that names itself is a root: there "the recursion is halted".
//     Any longer cycle is an error.
//
// A device must therefore fit into its source. It must also consume some
// capacity of its source, because otherwise no counter would prevent both from
// being allocated at the same time.
func connect(devices []*flat) error {
	byName := map[string]*flat{}
	for _, device := range devices {
		byName[device.written] = device
	}
	for _, device := range devices {
		source, err := device.findSource(byName)
		if err != nil {
			return err
		}
		if source != nil {
			device.source = source
			source.sinks = append(source.sinks, device)
		}
	}
	for _, device := range devices {
		if err := cmp.Or(device.checkCycle(), device.checkConsumption()); err != nil {
			return within(device.line, err, "device %q", device.written)
		}
	}
	return nil
}

// findSource returns the device's source, or nil for a root.
func (d *flat) findSource(byName map[string]*flat) (*flat, error) {
	if len(d.consumes) == 0 {
		return nil, nil
	}
	if len(d.consumes) > 1 {
		return nil, at(d.consumes[1].Line, "device %q: consumes capacity from %d devices, at most 1 is allowed", d.written, len(d.consumes))
	}
	source, ok := byName[d.consumes[0].Name]
	if !ok {
		return nil, at(d.consumes[0].Line, "device %q: consumes capacity from unknown device %q", d.written, d.consumes[0].Name)
	}
	if source == d {
		return nil, nil
	}
	return source, nil
}

// checkCycle returns an error if the device is part of a cycle.
func (d *flat) checkCycle() error {
	path := []string{d.written}
	seen := map[*flat]bool{d: true}
	for source := d.source; source != nil; source = source.source {
		path = append(path, source.written)
		if source == d {
			return fmt.Errorf("consumes capacity from itself: %s", strings.Join(path, " -> "))
		}
		if seen[source] {
			return nil // The cycle is reported for a device that is part of it.
		}
		seen[source] = true
	}
	return nil
}

// checkConsumption checks that the source has the capacities that the device
// consumes, and that the device consumes at least one.
func (d *flat) checkConsumption() error {
	if d.source == nil {
		return nil
	}
	consumesNothing := true
	for _, name := range d.capacities {
		amount := d.amount(name)
		if amount.IsZero() {
			continue
		}
		consumesNothing = false
		if _, ok := d.source.device.Capacity[name]; !ok {
			return fmt.Errorf("consumes %s of %s from %q, which has none", &amount, name, d.source.written)
		}
		if has := d.source.amount(name); amount.Cmp(has) > 0 {
			return fmt.Errorf("consumes %s of %s from %q, which has %s", &amount, name, d.source.written, &has)
		}
	}
	if consumesNothing {
		return fmt.Errorf("consumes nothing of its source %q, both could be allocated at the same time", d.source.written)
	}
	return nil
}

// amount returns the device's amount of a capacity, 0 if the device does not
// list it.
func (d *flat) amount(name resourceapi.QualifiedName) resource.Quantity {
	return d.device.Capacity[name].Value
}

// tree returns the device and all devices below it, each after its source.
func (d *flat) tree() []*flat {
	out := []*flat{d}
	for _, sink := range d.sinks {
		out = append(out, sink.tree()...)
	}
	return out
}
