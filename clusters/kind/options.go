// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package kind

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/gates"
	"github.com/draconform/draconform/clusters/images"
	"github.com/draconform/draconform/clusters/internal/schedulerlog"
	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/clusters/skew"
)

// Defaults of [Options].
const (
	DefaultName               = "draconform"
	DefaultWorkers            = 4
	DefaultSchedulerVerbosity = schedulerlog.DefaultVerbosity
	DefaultReadyTimeout       = 3 * time.Minute
)

// Options describe a cluster.
type Options struct {
	// Name is the name of the cluster, a DNS label of at most 40 characters:
	// node names add up to 14. Default: draconform.
	Name string
	// Run is the id of the run. The engine's containers and images and the
	// nodes are labelled with it. Required.
	Run string
	// Release is the Kubernetes release. Default: the newest supported release.
	Release clusters.Release
	// Workers is the number of worker nodes in addition to one control plane
	// node. Default: 4, because a 4x4 TPU slice spans four hosts.
	Workers int
	// Gates are the DRA feature gates. Default: the release's default set. A
	// set of another release is replaced with the set of the same name of this
	// release.
	Gates gates.Set
	// Serve lists versions of the DRA API that the API server serves in
	// addition to its defaults and the versions that the gates require; see
	// Servable.
	Serve []string
	// Image is the node image. Default: the image that nodeimage.Ensure finds
	// or builds.
	Image string
	// Scheduler is skew.KubeScheduler or skew.DraconformScheduler; see skew.CheckScheduler for
	// the supported combinations. Default: skew.KubeScheduler.
	Scheduler string
	// SchedulerVerbosity is the log level of the scheduler's DRA code. A
	// negative value leaves the level unchanged. Default: 6, which logs why a
	// device was not chosen.
	SchedulerVerbosity int
	// AuditDir is a folder of the host with an audit policy in policy.yaml. The
	// API server writes its audit log there, as audit.log. Default: no audit log.
	AuditDir string
	// Images are built while the cluster is created, and then loaded into all
	// nodes. Default: none.
	Images []images.Image
	// KeepCompiled states that Images contain programs of this release's
	// Kubernetes modules, other than the scheduler; see nodeimage.Options.
	KeepCompiled bool
	// Kubeconfig is the file that the cluster's context is written to. Default:
	// the file that kubectl uses. The context becomes the current context.
	Kubeconfig string
	// ReadyTimeout bounds the wait until all joined nodes are ready. Default: 3
	// minutes.
	ReadyTimeout time.Duration
	// Progress receives the progress of the creation. A nil reporter writes
	// nothing.
	Progress *progress.Reporter
}

var nameRE = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?$`)

func (o *Options) setDefaults() error {
	if o.Name == "" {
		o.Name = DefaultName
	}
	if o.Release == (clusters.Release{}) {
		o.Release = clusters.Newest()
	}
	var err error
	// The release may have been set after the gates.
	if o.Gates, err = gates.Parse(cmp.Or(o.Gates.Name(), "default"), o.Release); err != nil {
		return err
	}
	if o.Workers == 0 {
		o.Workers = DefaultWorkers
	}
	if o.Scheduler == "" {
		o.Scheduler = skew.KubeScheduler
	}
	if o.SchedulerVerbosity == 0 {
		o.SchedulerVerbosity = DefaultSchedulerVerbosity
	}
	if o.ReadyTimeout == 0 {
		o.ReadyTimeout = DefaultReadyTimeout
	}
	switch {
	case !nameRE.MatchString(o.Name):
		return fmt.Errorf("cluster name %q must be 1 to 40 lower-case letters, digits and dashes, with a letter or digit at both ends", o.Name)
	case o.Run == "":
		return errors.New("a cluster needs the id of the run it belongs to")
	case o.Workers < 0:
		return fmt.Errorf("number of workers must not be negative, not %d", o.Workers)
	}
	if err := CheckServed(o.Serve); err != nil {
		return err
	}
	return skew.CheckScheduler(o.Scheduler, o.Release, o.Gates)
}
