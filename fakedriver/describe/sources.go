package describe

import (
	"cmp"
	"fmt"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// connect finds the device that each device consumes capacity from, its source.
// The devices then form trees. The draft is short about nested sources, and this
// is how it is understood here:
//
//   - A device consumes the capacities that it has, of its source, of the source
//     of its source, and so on to the root ("this applies recursively"). What it
//     does not list, it does not consume.
//   - A device and any device below or above it exclude each other, whatever
//     they consume: the draft wants neither a part of a device in use nor a
//     device in use in part.
//   - What the devices below a source consume together never exceeds what the
//     source has, even if the root has more.
//   - A device takes only what it lists itself. That it comes out of a source
//     does not reserve the rest of the source, which a device elsewhere in the
//     tree may have if the root has it. Counters add up, so "the source once,
//     however many of its parts are in use" cannot be said with them.
//   - A device that names itself is a source: there "the recursion is halted".
//     Any longer cycle is an error.
//
// A device must therefore fit into its source, and it must consume something of
// it, otherwise no counter would exclude one when the other is in use.
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

// findSource returns nil for a device that is a root.
func (d *flat) findSource(byName map[string]*flat) (*flat, error) {
	if len(d.consumes) == 0 {
		return nil, nil
	}
	if len(d.consumes) > 1 {
		return nil, at(d.consumes[1].line, "device %q: consumes capacity from %d devices, at most 1 is allowed", d.written, len(d.consumes))
	}
	source, ok := byName[d.consumes[0].Name]
	if !ok {
		return nil, at(d.consumes[0].line, "device %q: consumes capacity from unknown device %q", d.written, d.consumes[0].Name)
	}
	if source == d {
		return nil, nil
	}
	return source, nil
}

// checkCycle finds a cycle that the device is part of.
func (d *flat) checkCycle() error {
	path := []string{d.written}
	seen := map[*flat]bool{d: true}
	for source := d.source; source != nil; source = source.source {
		path = append(path, source.written)
		if source == d {
			return fmt.Errorf("consumes capacity from itself: %s", strings.Join(path, " -> "))
		}
		if seen[source] {
			return nil // The cycle is reported for a device in it.
		}
		seen[source] = true
	}
	return nil
}

// checkConsumption compares the device with its source.
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

// amount returns what the device has of a capacity, 0 if it does not list it.
func (d *flat) amount(name resourceapi.QualifiedName) resource.Quantity {
	return d.device.Capacity[name].Value
}

// tree returns the device and all below it, each after its source.
func (d *flat) tree() []*flat {
	out := []*flat{d}
	for _, sink := range d.sinks {
		out = append(out, sink.tree()...)
	}
	return out
}
