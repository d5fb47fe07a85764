// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"math"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/subject/driverfile"
	"github.com/draconform/draconform/e2e/subject/preflight"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// checkedFiles is the JSON and YAML output of a check of driver files.
type checkedFiles struct {
	Drivers []checkedDriver `json:"drivers"`
	Kinds   []checkedKind   `json:"kinds"`
	// Classes are the DeviceClasses that a run creates.
	Classes  []string         `json:"classes,omitempty"`
	Timeouts []checkedTimeout `json:"timeouts"`
	Specs    []checkedSpec    `json:"specs"`
	// Cluster is set if the files were compared with a cluster.
	Cluster *checkedCluster `json:"cluster,omitempty"`
}

type checkedCluster struct {
	Name     string              `json:"name"`
	Findings []preflight.Finding `json:"findings"`
}

// checkedDriver is what the files say about a driver.
type checkedDriver struct {
	Name           string                     `json:"name"`
	Implementation *driverfile.Implementation `json:"implementation,omitempty"`
	Mode           string                     `json:"mode"`
	// Allowed is what a run may do with the DaemonSet of the driver.
	Allowed []string `json:"allowed,omitempty"`
	// Containers is how containers see devices, in the order of preference.
	Containers   []string                `json:"containers,omitempty"`
	Capabilities []driverfile.Capability `json:"capabilities"`
}

// checkedKind is what the files say about a kind of devices. Driver is empty if
// there are none.
type checkedKind struct {
	Kind   subject.Kind    `json:"kind"`
	Driver string          `json:"driver,omitempty"`
	Has    []subject.Field `json:"has,omitempty"`
	Lacks  []subject.Field `json:"lacks,omitempty"`
}

// checkedTimeout is a limit of the waits of specs.
type checkedTimeout struct {
	Name  string `json:"name"`
	Limit string `json:"limit"`
}

// checkedSpec is whether a spec could run in a cluster that has everything.
type checkedSpec struct {
	ID    string         `json:"id"`
	Kinds []subject.Kind `json:"kinds,omitempty"`
	Runs  bool           `json:"runs"`
	// Reason is why the spec cannot run.
	Reason string `json:"reason,omitempty"`
}

// describeDrivers describes drivers and the specs that could run.
func describeDrivers(drivers []*driverfile.Driver) (checkedFiles, error) {
	s, err := subject.Of(drivers...)
	if err != nil {
		return checkedFiles{}, err
	}
	checked := checkedFiles{Timeouts: timeoutsOf(env.DefaultTimeouts().For(drivers...)), Specs: specsFor(s)}
	for _, d := range drivers {
		checked.Drivers = append(checked.Drivers, describeDriver(d))
	}
	for _, kind := range subject.Kinds() {
		checked.Kinds = append(checked.Kinds, describeKind(s, kind))
	}
	for i := range s.Classes {
		checked.Classes = append(checked.Classes, s.Classes[i].Name)
	}
	return checked, nil
}

func describeDriver(d *driverfile.Driver) checkedDriver {
	described := checkedDriver{Name: d.Name, Implementation: d.Implementation, Mode: cmp.Or(d.Mode, "default"), Capabilities: d.Capabilities.List()}
	for _, source := range d.Containers {
		described.Containers = append(described.Containers, source.String())
	}
	for _, operation := range []struct {
		name    string
		allowed bool
	}{{"restart", d.Allow.Restart}, {"update", d.Allow.Update != nil}, {"logs", d.Allow.Logs}} {
		if operation.allowed {
			described.Allowed = append(described.Allowed, operation.name)
		}
	}
	return described
}

func describeKind(s subject.Subject, kind subject.Kind) checkedKind {
	described := checkedKind{Kind: kind}
	if !s.Offers(kind) {
		return described
	}
	described.Driver = s.Only([]subject.Kind{kind}).Drivers()[0]
	for _, field := range kind.Fields() {
		if s.Has(field) {
			described.Has = append(described.Has, field)
		} else {
			described.Lacks = append(described.Lacks, field)
		}
	}
	return described
}

func timeoutsOf(t env.Timeouts) []checkedTimeout {
	return []checkedTimeout{
		{"podStart", t.PodStart.String()},
		{"unschedulable", t.Unschedulable.String()},
		{"stable", t.Stable.String()},
		{"deletion", t.Deletion.String()},
		{"recovery", t.Recovery.String()},
	}
}

// specsFor returns the specs that use devices of drivers. A spec could run if
// nothing but the cluster can prevent it.
func specsFor(s subject.Subject) []checkedSpec {
	target := env.Target{Found: features.Set{}, Release: "v" + clusters.Newest().Version, Workers: math.MaxInt, Subject: s}
	for _, f := range features.All() {
		target.Found[f] = features.Presence{Present: true, Source: "assumed to be there"}
	}
	var checked []checkedSpec
	for _, r := range suite.DryRun(specs.All(), target) {
		if len(r.Spec.Kinds) > 0 {
			checked = append(checked, checkedSpec{r.Spec.ID, r.Spec.Kinds, r.Outcome == "", r.Reason})
		}
	}
	return checked
}
