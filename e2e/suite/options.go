// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"context"
	"time"

	"k8s.io/client-go/kubernetes"

	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/guest"
)

// Options configures a run of specs.
type Options struct {
	Specs []Spec
	// Selected are the specs that Selection selects.
	Selected  []Spec
	Selection Selection
	// Client is the client of the cluster.
	Client kubernetes.Interface
	// As returns a client that acts as another user.
	As func(env.User) (kubernetes.Interface, error)
	env.Target
	// Workload is the reference of the workload image.
	Workload string
	// Scheduler is the name of the scheduler of all pods. Empty means the
	// cluster's default scheduler.
	Scheduler string
	// Labels are set on every object that specs create.
	Labels map[string]string
	// Namespace is the prefix of the specs' namespaces and of the names of
	// cluster-scoped objects.
	Namespace string
	// Temporary states that the cluster is removed after the run. The run does not
	// wait until the namespaces of its specs are removed then, and does not delete
	// them if there are no kubelets.
	Temporary bool
	// Watched states that the context of the run ends with an [Ended] soon after a
	// component of the control plane has ended.
	Watched bool
	// Components states that the components of the control plane are pods of the cluster
	// that nobody else restarts. The reasons of failures mention their restarts.
	Components bool
	// Node is the only node that specs use, if set. They restart no other one.
	Node string
	// Guest has the namespace of all specs, if the run is one among other
	// workloads. It is nil if each spec has a namespace of its own.
	Guest    *guest.Guest
	Timeouts env.Timeouts
	// DetectTarget detects the current state of the cluster. Journeys call it
	// after their changes.
	DetectTarget func(ctx context.Context) (env.Target, error)
	// SpecTimeout is the timeout of one spec. The timeout of a journey is four
	// times as long.
	SpecTimeout time.Duration
	// FailFast ends the run after the first failure.
	FailFast bool
	// Process is the number of this process, from 1, if each of several
	// processes runs a part of the specs. Zero means 1.
	Process int
	// Dir is the folder for junit_01.xml and ginkgo_01.log, with the number of
	// the process. Its folder artifacts gets a folder for each failed spec.
	Dir string
	// Takes, if set, is asked before each spec that can run whether this process runs
	// it. Otherwise another process does, and this one has no result of the spec.
	Takes func(s Spec) bool
	// Started and Finished, if set, are called before and after each spec that
	// runs. n counts from 1 to total.
	Started  func(s Spec, n, total int)
	Finished func(r Result, n, total int)
}

// journeyFactor is the ratio of the timeout of a journey to that of a spec.
// Each wait of a journey has its own limit, so this timeout only guarantees
// that the run ends. It is generous because a slow machine must not fail the
// longest journeys, which run many specs.
const journeyFactor = 4
