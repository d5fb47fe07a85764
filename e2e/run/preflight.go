// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"cmp"

	"github.com/draconform/draconform/clusters/images"
	"github.com/draconform/draconform/e2e/subject/preflight"
)

// Preflight returns the options for comparing the driver files of a configuration
// with a cluster, so that the result holds for a run.
func (c Config) Preflight() preflight.Options {
	image := cmp.Or(c.WorkloadImage, images.Workload.Ref)
	return preflight.Options{Namespace: c.Namespace, Image: image, Architectures: architectures(image), Scheduler: c.SchedulerName, NodeAgent: c.NodeAgent}
}
