// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func nameInvalid(p *pass) {
	p.objectNames()
	p.sliceNames()
	p.claimNames()
}

func (p *pass) objectNames() {
	for _, object := range p.all() {
		p.subdomain(place{object, field.NewPath("metadata", "name")}, object.GetName())
	}
}

func (p *pass) sliceNames() {
	for _, slice := range p.objects.Slices {
		at := place{slice, spec}
		p.subdomain(at.child("driver"), slice.Spec.Driver)
		p.atMost(at.child("driver"), len(slice.Spec.Driver), resourceapi.DriverNameMaxLength, "characters")
		pool := slice.Spec.Pool.Name
		p.atMost(at.child("pool", "name"), len(pool), resourceapi.PoolNameMaxLength, "characters")
		for part := range strings.SplitSeq(pool, "/") {
			p.subdomain(at.child("pool", "name"), part)
		}
	}
	for at, device := range p.devices() {
		p.label(at.child("name"), device.Name)
		for _, name := range sorted(device.Attributes) {
			p.qualified(at.child("attributes").key(string(name)), string(name))
		}
		for _, name := range sorted(device.Capacity) {
			p.qualified(at.child("capacity").key(string(name)), string(name))
		}
	}
	for at, set := range p.counterSets() {
		p.label(at.child("name"), set.Name)
	}
	for at, consumption := range p.consumptions() {
		p.label(at.child("counterSet"), consumption.CounterSet)
	}
	for at, counters := range p.counters() {
		for _, name := range sorted(counters) {
			p.label(at.key(name), name)
		}
	}
}

func (p *pass) claimNames() {
	for at, claim := range p.claims() {
		for i := range claim.Requests {
			r := &claim.Requests[i]
			at := at.child("requests").index(i)
			p.label(at.child("name"), r.Name)
			for j := range r.FirstAvailable {
				p.label(at.child("firstAvailable").index(j).child("name"), r.FirstAvailable[j].Name)
			}
		}
	}
	for at, r := range p.requests() {
		p.subdomain(at.child("deviceClassName"), r.class)
	}
}

func (p *pass) label(at place, name string) {
	p.say(at, name, "DNS label", validation.IsDNS1123Label(name))
}

func (p *pass) subdomain(at place, name string) {
	p.say(at, name, "DNS subdomain", validation.IsDNS1123Subdomain(name))
}

// qualified checks the name of an attribute or a capacity, with or without a domain.
func (p *pass) qualified(at place, name string) {
	domain, id, found := strings.Cut(name, "/")
	if !found {
		id = name
	} else {
		p.subdomain(at, domain)
		p.atMost(at, len(domain), resourceapi.DeviceMaxDomainLength, "characters in the domain")
	}
	p.say(at, id, "C identifier", validation.IsCIdentifier(id))
	p.atMost(at, len(id), resourceapi.DeviceMaxIDLength, "characters after the domain")
}

func (p *pass) say(at place, name, form string, problems []string) {
	switch {
	case name == "":
		p.report(at, "is missing, must be a %s", form)
	case len(problems) > 0:
		p.report(at, "%q is not a %s: %s", name, form, problems[0])
	}
}

// all returns all objects that rules apply to.
func (p *pass) all() []metav1.Object {
	var list []metav1.Object
	for _, slice := range p.objects.Slices {
		list = append(list, slice)
	}
	for _, class := range p.objects.Classes {
		list = append(list, class)
	}
	for _, claim := range p.objects.Claims {
		list = append(list, claim)
	}
	for _, template := range p.objects.Templates {
		list = append(list, template)
	}
	return list
}

func objectDuplicate(p *pass) {
	type id struct{ kind, namespace, name string }
	first := map[id]metav1.Object{}
	for _, object := range p.all() {
		key := id{kindOf(object), object.GetNamespace(), object.GetName()}
		if before, ok := first[key]; ok {
			p.report(place{object, field.NewPath("metadata", "name")}, "is also in %s", p.objects.Origin(before))
			continue
		}
		first[key] = object
	}
}

func nameDuplicate(p *pass) {
	for _, slice := range p.objects.Slices {
		duplicates(p, place{slice, devicesPath}, slice.Spec.Devices, func(d *resourceapi.Device) string { return d.Name })
		duplicates(p, place{slice, setsPath}, slice.Spec.SharedCounters, func(s *resourceapi.CounterSet) string { return s.Name })
	}
	for at, device := range p.devices() {
		duplicates(p, at.child("consumesCounters"), device.ConsumesCounters, func(c *resourceapi.DeviceCounterConsumption) string { return c.CounterSet })
	}
	for at, claim := range p.claims() {
		at, requests := at.child("requests"), claim.Requests
		duplicates(p, at, requests, func(r *resourceapi.DeviceRequest) string { return r.Name })
		for i := range requests {
			duplicates(p, at.index(i).child("firstAvailable"), requests[i].FirstAvailable, func(s *resourceapi.DeviceSubRequest) string { return s.Name })
		}
	}
}

// duplicates reports the elements of a list with the same name as an earlier
// element.
func duplicates[T any](p *pass, at place, list []T, name func(*T) string) {
	seen := sets.New[string]()
	for i := range list {
		if n := name(&list[i]); seen.Has(n) {
			p.report(at.index(i), "%q is in the list already", n)
		} else {
			seen.Insert(n)
		}
	}
}
