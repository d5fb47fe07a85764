// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// kind is a kind of devices. The same specs apply to all kinds.
type kind struct {
	subject.Kind
	// name is the name of the kind in the descriptions of specs.
	name     string
	features []features.Feature
	// pods is the number of pods that use one device, each on another node.
	pods   int
	device func(subject.Subject) subject.Device
}

// kinds are all kinds of devices.
var kinds = []kind{
	{
		Kind: subject.KindExclusive, name: "an exclusive device", pods: 1,
		features: []features.Feature{features.Core},
		device:   func(s subject.Subject) subject.Device { return s.Exclusive.Device },
	},
	{
		Kind: subject.KindMultiHost, name: "a multi-host device", pods: 2,
		features: []features.Feature{features.Core, features.Partitions},
		device:   func(s subject.Subject) subject.Device { return s.MultiHost.Pair },
	},
	{
		Kind: subject.KindShared, name: "a share of a device", pods: 1,
		features: []features.Feature{features.Core, features.SharedDevices},
		device:   func(s subject.Subject) subject.Device { return s.Shared.Share },
	},
}

// proofs are the requirements that the specs prove, by kind.
type proofs map[subject.Kind][]string

// ofAllKinds returns requirements that the specs of every kind prove.
func ofAllKinds(requirements ...string) proofs {
	p := proofs{}
	for _, k := range kinds {
		p[k.Kind] = requirements
	}
	return p
}

// and adds requirements that the specs of some kinds prove.
func (p proofs) and(more proofs) proofs {
	all := maps.Clone(p)
	for kind, requirements := range more {
		all[kind] = slices.Concat(all[kind], requirements)
	}
	return all
}

// forEachKind returns a spec for each of the IDs, which begin with a kind of
// devices. description is the part of the description after "A pod with
// <kind>". Without needs, the spec of exclusive devices is core and has the label
// smoke: the other kinds are not offered by every driver.
func forEachKind(ids []string, description string, proved proofs, needs []env.Need, body func(ctx context.Context, e *env.Env, k kind)) []suite.Spec {
	var specs []suite.Spec
	for _, id := range ids {
		k := kindOfID(id)
		level := suite.Extended
		if k.Kind == subject.KindExclusive && len(needs) == 0 {
			level = suite.Core
		}
		specs = append(specs, suite.Spec{
			ID:           id,
			Description:  "A pod with " + k.name + " " + description,
			Profile:      profile,
			Level:        level,
			Smoke:        level == suite.Core,
			Features:     k.features,
			Component:    env.Driver,
			Kinds:        []subject.Kind{k.Kind},
			MinNodes:     k.pods,
			OneNode:      k.pods == 1 && !slices.Contains(needs, env.NeedsDriverUpdate),
			Needs:        needs,
			Requirements: proved[k.Kind],
			Body:         func(ctx context.Context, e *env.Env) { body(ctx, e, k) },
		})
	}
	return specs
}

// needing makes specs not applicable to a driver whose file denies a capability.
func needing(capability subject.Capability, specs []suite.Spec) []suite.Spec {
	for i := range specs {
		specs[i].Capabilities = []subject.Capability{capability}
	}
	return specs
}

// forEachPublished returns a spec for each of the IDs, which begin with a kind of
// devices, like a common one, whose description has %s for the kind. Unlike those of
// forEachKind, the specs need no pods.
func forEachPublished(ids []string, common suite.Spec, body func(ctx context.Context, e *env.Env, k kind)) []suite.Spec {
	var specs []suite.Spec
	for _, id := range ids {
		k := kindOfID(id)
		s := common
		s.ID, s.Description = id, fmt.Sprintf(common.Description, k.Kind)
		s.Profile, s.Level, s.Component, s.MinNodes = profile, suite.Provisional, env.Driver, 1
		s.Features, s.Kinds = k.features, []subject.Kind{k.Kind}
		s.Body = func(ctx context.Context, e *env.Env) { body(ctx, e, k) }
		specs = append(specs, s)
	}
	return specs
}

// kindOfID returns the kind of devices with which the ID of a spec begins.
func kindOfID(id string) kind {
	for _, k := range kinds {
		if strings.HasPrefix(id, string(k.Kind)+"-") {
			return k
		}
	}
	panic("no kind of devices for the spec " + id)
}
