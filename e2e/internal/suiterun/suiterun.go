// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package suiterun runs suites against fake clusters in separate processes,
// for unit tests. Ginkgo's specs are global, so a process can run them only
// once. The time of a run is that of [synctest], unless its case has RealTime: waits
// take no time, and limits do not depend on how busy the machine is.
package suiterun

import (
	"context"
	"time"

	"github.com/draconform/draconform/e2e/internal/access"
	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/guest"
	"github.com/draconform/draconform/e2e/suite/journey"
)

// Case is a run of a suite.
type Case struct {
	Cluster fakecluster.Options
	// Change, if set, changes the configuration of the suite and the context of
	// the run.
	Change func(ctx context.Context, c *suite.Options) context.Context
	// Guest, if set, makes the run one among other workloads, with drivers that
	// it did not install. Only the namespace and whether it was given are used.
	Guest *guest.Config
	// RealTime makes the run take as long as its waits. Otherwise, its time passes
	// only while it waits, and begins in the year 2000.
	RealTime bool
}

// Outcome is the result of a run.
type Outcome struct {
	Results []Result
	// Err is the error of the run, if any.
	Err string
	// Progress lists the calls of Started and Finished.
	Progress []string
	// Left are the objects of the run that remain in namespaces.
	Left []string
	// Requests are what the run did in the cluster, each request once.
	Requests []access.Request
	// Namespaces are the namespaces that remain in the cluster.
	Namespaces []string
	// Duration is the duration of the run without the start of the process.
	Duration time.Duration
	// Dir is the directory of the run.
	Dir string `json:"-"`
}

// Result is the result of a spec.
type Result struct {
	ID           string
	Outcome      suite.Outcome
	Reason       string
	Started      time.Time
	Duration     time.Duration
	FailedAt     time.Time
	Namespace    string
	Steps        []suite.Step
	JourneySteps []journey.StepResult
}

// Of returns the result of one spec.
func (o Outcome) Of(id string) Result {
	for _, r := range o.Results {
		if r.ID == id {
			return r
		}
	}
	return Result{}
}
