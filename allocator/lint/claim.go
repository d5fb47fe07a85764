// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"encoding/json"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/sets"
)

func requestForm(p *pass) {
	for at, claim := range p.claims() {
		for i := range claim.Requests {
			r := &claim.Requests[i]
			at := at.child("requests").index(i)
			switch {
			case r.Exactly == nil && len(r.FirstAvailable) == 0:
				p.report(at, "has neither exactly nor firstAvailable, exactly 1 must be set")
			case r.Exactly != nil && len(r.FirstAvailable) > 0:
				p.report(at, "has exactly and firstAvailable, exactly 1 must be set")
			}
		}
	}
	for at, r := range p.requests() {
		switch {
		case r.mode == resourceapi.DeviceAllocationModeAll && r.count != 0:
			p.report(at.child("count"), "is %d, must not be set with allocationMode All", r.count)
		case r.mode == resourceapi.DeviceAllocationModeExactCount && r.count < 1:
			p.report(at.child("count"), "is %d, must be at least 1", r.count)
		case r.mode != resourceapi.DeviceAllocationModeAll && r.mode != resourceapi.DeviceAllocationModeExactCount:
			p.report(at.child("allocationMode"), "%q is not known, use ExactCount or All", r.mode)
		}
	}
}

func requestUnknown(p *pass) {
	for at, devices := range p.claims() {
		known := sets.New[string]()
		for i := range devices.Requests {
			known.Insert(devices.Requests[i].Name)
			for j := range devices.Requests[i].FirstAvailable {
				known.Insert(devices.Requests[i].Name + "/" + devices.Requests[i].FirstAvailable[j].Name)
			}
		}
		for i := range devices.Constraints {
			p.known(at.child("constraints").index(i), devices.Constraints[i].Requests, known)
		}
		for i := range devices.Config {
			p.known(at.child("config").index(i), devices.Config[i].Requests, known)
		}
	}
}

func (p *pass) known(at place, names []string, known sets.Set[string]) {
	for i, name := range names {
		if !known.Has(name) {
			p.report(at.child("requests").index(i), "%q is neither a request of the claim nor a request and a subrequest separated by /", name)
		}
	}
}

func constraintForm(p *pass) {
	for at, claim := range p.claims() {
		for i := range claim.Constraints {
			c := &claim.Constraints[i]
			at := at.child("constraints").index(i)
			if c.MatchAttribute == nil && c.DistinctAttribute == nil {
				p.report(at, "has neither matchAttribute nor distinctAttribute")
			}
			p.fullyQualified(at.child("matchAttribute"), c.MatchAttribute)
			p.fullyQualified(at.child("distinctAttribute"), c.DistinctAttribute)
		}
	}
}

func (p *pass) fullyQualified(at place, name *resourceapi.FullyQualifiedName) {
	if name == nil {
		return
	}
	if !strings.Contains(string(*name), "/") {
		p.report(at, "%q has no domain, must be a domain and a name separated by /", *name)
		return
	}
	p.qualified(at, string(*name))
}

func parametersForm(p *pass) {
	for at, config := range p.configurations() {
		if config.Opaque == nil {
			p.report(at, "has no opaque configuration, which is required")
			continue
		}
		at := at.child("opaque")
		p.subdomain(at.child("driver"), config.Opaque.Driver)
		var object map[string]any
		if err := json.Unmarshal(config.Opaque.Parameters.Raw, &object); err != nil || object == nil {
			p.report(at.child("parameters"), "are not a JSON object")
		}
	}
}
