// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package run executes a conformance run: it provides a cluster, installs the
// suite's images and fake drivers, runs the specs, writes the report and
// removes what it created.
package run

import (
	"context"
	"fmt"
	"os/exec"

	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/e2e/suite"
)

// Providers of clusters.
const (
	Kind         = "kind"
	ControlPlane = "control-plane"
	Existing     = "existing"
)

// ExternalScheduler is the value of Config.Scheduler for a scheduler that the user
// starts.
const ExternalScheduler = "external"

// Numbers of processes that suit two cores, because specs spend most of their time
// waiting.
const (
	DefaultParallel = 8
	// DefaultParallelControlPlane is that for the provider control-plane, where no
	// containers run.
	DefaultParallelControlPlane = 18
)

// Config configures a run.
type Config struct {
	// Provider is kind, for a cluster that is created for the run, control-plane,
	// for components that the run starts on this machine, or existing.
	Provider string
	// RunID is the id of the run, as [NewID] returns it. Default: a new one.
	RunID string
	// Release of a cluster of the run, such as 1.37. Default: the newest.
	Release string
	// Gates of a cluster of the run: default, alpha, off, or a list.
	Gates string
	// Scheduler of a cluster of the run: kube-scheduler or draconform, or, with
	// provider control-plane, external. Default: kube-scheduler.
	Scheduler string
	// SchedulerBinary is a program with the flags of kube-scheduler that a control
	// plane runs instead. Empty means Scheduler.
	SchedulerBinary string
	// SchedulerConfig is a KubeSchedulerConfiguration for the scheduler of a
	// control plane. Empty means none.
	SchedulerConfig string
	// SchedulerName is the pods' spec.schedulerName. Empty means the default.
	SchedulerName string
	// SimulateNodes lets specs create simulated nodes in an existing cluster.
	// In a cluster of the run they always do so.
	SimulateNodes bool
	// Workers of a kind cluster. Zero means 4.
	Workers int
	// Serve are versions of the DRA API that a cluster of the run serves in addition
	// to the default ones, such as resource.k8s.io/v1beta1.
	Serve []string
	// NodeImage of a kind cluster, instead of the release's.
	NodeImage string
	// Kubeconfig and Context select an existing cluster. Empty means the
	// default of kubectl, or in a pod without a kubeconfig the cluster of the
	// pod.
	Kubeconfig, Context string
	// KindCluster is the name of an existing cluster that draconform created
	// with kind. It allows the run to restart the nodes. Scheduler then states
	// which scheduler the cluster has.
	KindCluster string
	// Drivers are the paths of driver files. The run judges these drivers, which
	// run in an existing cluster. Empty means the suite's fake drivers.
	Drivers []string
	// Namespace is an existing namespace for the specs of a run with driver
	// files. Empty means one that the run creates and deletes.
	Namespace string
	// NodeAgent installs privileged pods on the nodes of an existing cluster,
	// through which specs call drivers as the kubelet does. A cluster of the run
	// has them in any case.
	NodeAgent bool
	// NodeAgentImage is the image of these pods. FakedriverImage and WorkloadImage
	// are those of other pods in an existing cluster. Default: the suite's own
	// images, see [images.Image.Reference].
	NodeAgentImage, FakedriverImage, WorkloadImage string
	// ImageRegistry is the registry and path of the suite's own images for an
	// existing cluster. Default: [images.Registry] if this program is a release;
	// otherwise the images must be on the nodes.
	ImageRegistry string
	// FeatureOverrides declare features, such as "prioritized-list=absent" or
	// "core=present", regardless of what is detected.
	FeatureOverrides []string
	// Selection selects specs.
	Selection suite.Selection
	// First is a regular expression. Specs whose IDs match begin before all others that
	// the same processes run. Empty means that those begin first that take longest.
	First string
	// Claims are the claimed profiles. Skipped specs of a claimed profile fail
	// the run. Default: the profiles of which the selection skips no spec.
	Claims []string
	// Parallel is the number of processes that run independent specs in
	// parallel, or of journeys at the same time. Less than 2 means that all specs
	// run one after the other.
	Parallel int
	// Worker returns the command of such a process, which must call [Worker]
	// with its standard input and output. Nil means no such processes.
	Worker func(context.Context) *exec.Cmd `json:"-"`
	// FailFast ends the run at the first failure.
	FailFast bool
	// Keep keeps all created objects after the run.
	Keep bool
	// Dir is the directory in which each run creates a subdirectory.
	Dir string
	// TimeoutScale multiplies the timeouts of specs. Zero means 1.
	TimeoutScale float64
	// Version is the version of draconform. Flags are the command-line flags
	// that reproduce the run. Both are written to the report.
	Version string
	Flags   []string
	// Progress reports progress. Nil disables it.
	Progress *progress.Reporter `json:"-"`
}

// Check validates a configuration. Its error wraps ErrConfig.
func (c Config) Check(specs []suite.Spec) error {
	if _, err := c.plan(specs); err != nil {
		return fmt.Errorf("%w: %w", ErrConfig, err)
	}
	return nil
}
