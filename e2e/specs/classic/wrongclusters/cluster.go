// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"context"
	"regexp"
	"time"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/internal/classiccluster"
	"github.com/draconform/draconform/e2e/internal/suiterun"
	"github.com/draconform/draconform/e2e/specs/classic"
	"github.com/draconform/draconform/e2e/suite"
)

// Cluster is a cluster with a fault, and the spec that must detect it.
type Cluster struct {
	Mistakes classiccluster.Mistakes
	Spec     string
	// Want is a part of the reason of the failure.
	Want string
}

// The names of clusters without faults.
const (
	Right       = "right"
	WithoutGate = "without the gate"
	Earlier     = "1.30"
	// Uninstalled is a cluster in which specs start drivers themselves.
	Uninstalled = "without an installed driver"
	// Busy is a cluster whose API server fails some of the reads for a moment.
	Busy = "a busy API server"
)

// RightClusters are the clusters without faults.
var RightClusters = map[string]classiccluster.Mistakes{Right: {}, WithoutGate: {WithoutGate: true}, Earlier: {Earlier: true}, Uninstalled: {}, Busy: {Busy: true}}

func scheduler(m classiccluster.SchedulerMistakes) classiccluster.Mistakes {
	return classiccluster.Mistakes{Scheduler: m}
}

func manager(m classiccluster.ManagerMistakes) classiccluster.Mistakes {
	return classiccluster.Mistakes{Manager: m}
}

func drivesWith(m classiccluster.DriverMistakes) classiccluster.Mistakes {
	return classiccluster.Mistakes{Driver: m}
}

func earlierDriver(m classiccluster.DriverMistakes) classiccluster.Mistakes {
	return classiccluster.Mistakes{Earlier: true, Driver: m}
}

func kubelet(m classiccluster.KubeletMistakes) classiccluster.Mistakes {
	return classiccluster.Mistakes{Kubelet: m}
}

func admits(messages ...string) classiccluster.Mistakes {
	return classiccluster.Mistakes{Admits: messages}
}

// Case returns the run of a cluster, with or without faults, by its name.
func Case(name string) (suiterun.Case, bool) {
	if mistakes, ok := RightClusters[name]; ok {
		return caseOf(mistakes, "", name != Uninstalled), true
	}
	c, ok := All[name]
	return caseOf(c.Mistakes, c.Spec, true), ok
}

// caseOf returns a run of one spec, or of all, in an in-memory cluster, in which a driver
// may be installed.
func caseOf(mistakes classiccluster.Mistakes, spec string, installed bool) suiterun.Case {
	return suiterun.Case{Change: func(ctx context.Context, o *suite.Options) context.Context {
		client, access, err := classiccluster.New(mistakes)
		if err != nil {
			panic(err) // The test fails.
		}
		o.Specs, o.Client, o.Release, o.ControlPlane, o.Workers = classic.Specs, client, "v1.31.4", access, 2
		o.ClassicControllers = access
		if installed {
			o.Classic = access
		}
		o.Found = features.Set{
			features.ClassicAPI: {Present: !mistakes.Earlier}, features.ResourceClasses: {Present: mistakes.Earlier},
			features.ControlPlaneController: {Present: !mistakes.Earlier && !mistakes.WithoutGate},
		}
		if spec != "" {
			o.Selection.Focus = "^" + regexp.QuoteMeta(spec) + "$"
			// The specs wait for what never happens.
			o.Timeouts.PodStart, o.Timeouts.Deletion, o.Timeouts.Recovery = 2*time.Second, 2*time.Second, 2*time.Second
		}
		return ctx
	}}
}
