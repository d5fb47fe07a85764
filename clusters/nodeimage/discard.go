// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeimage

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/draconform/draconform/clusters/internal/gobuild"
	"github.com/draconform/draconform/clusters/internal/modgraph"
	"github.com/draconform/draconform/clusters/internal/self"
)

// schedulerModule is the folder of the nested module that builds a scheduler
// from Kubernetes' packages.
const schedulerModule = "allocator/scheduler"

// discard removes packages of Kubernetes from the go command's cache if only
// the finished program in dir needs them. They are two fifths of the cache
// after the build of one release. Other releases use other versions of them.
func discard(ctx context.Context, dir string) (int64, error) {
	source, err := self.Source(ctx, "", "")
	if err != nil {
		return 0, nil //nolint:nilerr // It is unknown what else is built here.
	}
	// Without a checkout, nothing else is built from Kubernetes' main module.
	ofKubernetes, needed := modgraph.Kubernetes+"/", map[gobuild.Package]bool{}
	if source.Checkout {
		ofKubernetes = "k8s.io/" // all modules that Kubernetes' repository publishes
		scheduler, err := self.Source(ctx, schedulerModule, "")
		if err != nil {
			return 0, err
		}
		for _, b := range []gobuild.Build{source, scheduler} {
			packages, err := b.Packages(ctx)
			if err != nil {
				return 0, err
			}
			for _, p := range packages {
				needed[p] = true
			}
		}
	}
	b := gobuild.Build{Dir: filepath.Join(dir, "module"), Commands: []string{"./" + program}}
	return b.Discard(ctx, func(p gobuild.Package) bool { return strings.HasPrefix(p.Path, ofKubernetes) && !needed[p] })
}
