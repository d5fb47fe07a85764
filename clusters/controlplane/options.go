// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/gates"
	"github.com/draconform/draconform/clusters/internal/schedulerlog"
	"github.com/draconform/draconform/clusters/progress"
)

// Defaults of [Options].
const (
	DefaultName               = "draconform"
	DefaultSchedulerVerbosity = schedulerlog.DefaultVerbosity
	DefaultReadyTimeout       = 2 * time.Minute
)

// Options describe a control plane.
type Options struct {
	// Name is the name of the control plane and of its context in the kubeconfig.
	// Default: draconform.
	Name string
	// Release is the Kubernetes release. Default: the newest supported release.
	Release clusters.Release
	// Gates are the DRA feature gates of all components. Default: the release's
	// default set. A set of another release is replaced with the set of the same
	// name of this release.
	Gates gates.Set
	// Serve lists versions of the DRA API that the API server serves in addition
	// to its defaults and the versions that the gates require.
	Serve []string
	// Programs returns the folder with etcd, kube-apiserver,
	// kube-controller-manager and, unless Scheduler has another program,
	// kube-scheduler. Required.
	Programs func(context.Context) (dir string, err error)
	// Scheduler is the scheduler. Default: kube-scheduler of Programs.
	Scheduler Scheduler
	// SchedulerVerbosity is the log level of the scheduler's DRA code. A negative
	// value leaves the level unchanged. Default: 6, which logs why a device was
	// not chosen.
	SchedulerVerbosity int
	// Kubeconfig is the file that the context of the administrator is written to.
	// It is replaced. Default: a file in the temporary folder.
	Kubeconfig string
	// LogDir is the folder of the logs, one file for each component. Default: a
	// folder in the temporary folder, which is removed with the control plane.
	LogDir string
	// Keep lets the components outlive this process. By default they end with it,
	// even if it is killed.
	Keep bool
	// ReadyTimeout bounds the wait until all components are ready, without the
	// time that builds take. Default: 2 minutes.
	ReadyTimeout time.Duration
	// Progress receives the progress of the creation. A nil reporter writes
	// nothing.
	Progress *progress.Reporter
}

// Scheduler describes the scheduler of a control plane. It has the flags of
// kube-scheduler, and its permissions.
type Scheduler struct {
	// Name is the name of the scheduler for the user. Default: kube-scheduler.
	Name string
	// Program returns the path of the program. It is called while the other
	// components start. Default: kube-scheduler of Options.Programs.
	Program func(context.Context) (path string, err error)
	// Env are environment variables of the scheduler, each as "name=value", in
	// addition to those of this process.
	Env []string
	// Config is the path of a KubeSchedulerConfiguration. The kubeconfig in it is
	// replaced, and its leader election is disabled. Default: none.
	Config string
	// Emulates is the minor release that the scheduler emulates, such as 1.36.
	// Default: its own.
	Emulates string
	// External states that the user starts the scheduler. Then the other fields
	// are not used, and the control plane is ready without a scheduler.
	External bool
}

func (o *Options) setDefaults() error {
	o.Name = cmp.Or(o.Name, DefaultName)
	if o.Release == (clusters.Release{}) {
		o.Release = clusters.Newest()
	}
	var err error
	// The release may have been set after the gates.
	if o.Gates, err = gates.Parse(cmp.Or(o.Gates.Name(), "default"), o.Release); err != nil {
		return err
	}
	o.Scheduler.Name = cmp.Or(o.Scheduler.Name, kubeScheduler)
	o.SchedulerVerbosity = cmp.Or(o.SchedulerVerbosity, DefaultSchedulerVerbosity)
	o.ReadyTimeout = cmp.Or(o.ReadyTimeout, DefaultReadyTimeout)
	switch {
	case o.Programs == nil:
		return errors.New("a control plane needs its programs")
	case o.ReadyTimeout < 0:
		return fmt.Errorf("timeout until the control plane is ready must not be negative, not %s", o.ReadyTimeout)
	}
	return nil
}
