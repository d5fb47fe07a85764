// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/internal/rules"
)

// declarations iterates over the slices with declarations of sharing affinity. The function in the second value
// decodes them and returns an error for invalid JSON.
func (p *pass) declarations() iter.Seq2[place, func() (map[string]rules.AffinityDeclaration, error)] {
	return func(yield func(place, func() (map[string]rules.AffinityDeclaration, error)) bool) {
		for _, slice := range p.objects.Slices {
			text, ok := slice.Annotations[rules.AffinityAnnotation]
			decode := func() (map[string]rules.AffinityDeclaration, error) { return rules.DecodeAffinity(text) }
			if ok && !yield(place{slice, field.NewPath("metadata", "annotations").Key(rules.AffinityAnnotation)}, decode) {
				return
			}
		}
	}
}

func affinityDeclaration(p *pass) {
	for at, decode := range p.declarations() {
		declared, err := decode()
		if err != nil {
			p.report(at, "is not the JSON that it should be: %s", strings.ReplaceAll(err.Error(), "\n", "; "))
			continue
		}
		for _, device := range sorted(declared) {
			at, keys := at.key(device).child("attributeKeys"), declared[device].AttributeKeys
			if len(keys) == 0 {
				p.report(at, "has no keys, at least 1 is required")
			}
			p.atMost(at, len(keys), rules.MaxAffinityKeys, "keys")
			duplicates(p, at, keys, func(key *string) string { return *key })
			for i, key := range keys {
				p.fullyQualified(at.index(i), ptr.To(resourceapi.FullyQualifiedName(key)))
			}
		}
	}
}

func affinityDevice(p *pass) {
	for at, decode := range p.declarations() {
		declared, err := decode()
		if err != nil {
			continue // Another rule reports it.
		}
		devices := at.object.(*resourceapi.ResourceSlice).Spec.Devices
		for _, name := range sorted(declared) {
			i := slices.IndexFunc(devices, func(d resourceapi.Device) bool { return d.Name == name })
			switch {
			case i < 0:
				p.report(at.key(name), "the slice has no device %q", name)
			case !ptr.Deref(devices[i].AllowMultipleAllocations, false):
				p.report(at.key(name), "device %s does not allow multiple allocations: claims do not share it, but must state the values", name)
			}
		}
	}
}

// entry is an opaque configuration for the driver name that is reserved for affinity values.
type entry struct {
	stated     rules.Entry
	recognized bool
	err        error
}

func (p *pass) entries() iter.Seq2[place, entry] {
	return func(yield func(place, entry) bool) {
		for at, config := range p.configurations() {
			if config.Opaque == nil || config.Opaque.Driver != rules.EntryDriver {
				continue
			}
			var e entry
			e.stated, e.recognized, e.err = rules.DecodeEntry(config.Opaque.Parameters.Raw)
			if !yield(at.child("opaque", "parameters"), e) {
				return
			}
		}
	}
}

func affinityEntry(p *pass) {
	for at, e := range p.entries() {
		if e.err != nil {
			p.report(at, "cannot be read, so that no device with a sharing affinity is allocated: %s", strings.ReplaceAll(e.err.Error(), "\n", "; "))
		}
		for _, key := range sorted(e.stated) {
			p.fullyQualified(at.child("attributes").key(key), ptr.To(resourceapi.FullyQualifiedName(key)))
		}
	}
}

func affinityEntryUnknown(p *pass) {
	for at, e := range p.entries() {
		if !e.recognized && e.err == nil {
			p.report(at, "are not %s of %s: they are ignored", rules.EntryKind, rules.EntryAPIVersion)
		}
	}
}

// affinityEntryDuplicate counts, for each request and alternative, the entries of its class and its claim.
func affinityEntryDuplicate(p *pass) {
	for _, class := range p.objects.Classes {
		if n := len(statedBy(class)); n > 1 {
			p.report(place{class, spec.Child("config")}, "has %d entries of the kind %s, at most 1 is allowed", n, rules.EntryKind)
		}
	}
	for at, r := range p.requests() {
		var found []string
		for _, class := range p.objects.Classes {
			if class.Name == r.class {
				found = append(found, statedBy(class)...)
			}
		}
		for i := range r.claim.Config {
			c := &r.claim.Config[i]
			if rules.Applies(c.Requests, r.name) && states(&c.DeviceConfiguration) {
				found = append(found, fmt.Sprintf("config[%d]", i))
			}
		}
		if len(found) > 1 {
			p.report(at, "has %d entries of the kind %s, at most 1 is allowed: %s", len(found), rules.EntryKind, strings.Join(found, ", "))
		}
	}
}

// statedBy returns the entries of a class.
func statedBy(class *resourceapi.DeviceClass) (found []string) {
	for i := range class.Spec.Config {
		if states(&class.Spec.Config[i].DeviceConfiguration) {
			found = append(found, fmt.Sprintf("config[%d] of class %s", i, class.Name))
		}
	}
	return found
}

func states(config *resourceapi.DeviceConfiguration) bool {
	if config.Opaque == nil || config.Opaque.Driver != rules.EntryDriver {
		return false
	}
	_, recognized, _ := rules.DecodeEntry(config.Opaque.Parameters.Raw)
	return recognized
}

func affinityValue(p *pass) {
	demanded := sets.New[string]()
	for _, decode := range p.declarations() {
		if declared, err := decode(); err == nil {
			for _, d := range declared {
				demanded.Insert(d.AttributeKeys...)
			}
		}
	}
	for at, e := range p.entries() {
		for _, key := range sorted(e.stated) {
			if _, err := e.stated.Value(key); err != nil && demanded.Has(key) {
				p.report(at.child("attributes").key(key), "is not just a string, so that devices which demand it are not allocated")
			}
		}
	}
}
