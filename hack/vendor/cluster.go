// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/engine"
	"github.com/draconform/draconform/clusters/gates"
	"github.com/draconform/draconform/clusters/images"
	"github.com/draconform/draconform/clusters/kind"
	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/e2e/run"
)

const (
	// workers is the number of worker nodes. Some specs need two. The others run on
	// all at the same time.
	workers = 6
	// processes is how many processes run specs at the same time: one for each worker
	// node, and two for the specs that need only the API server.
	processes = workers + 2
	// removeTimeout bounds the removal of the cluster, which also runs after an
	// interruption.
	removeTimeout = 2 * time.Minute
)

// cluster is a kind cluster with the drivers.
type cluster struct {
	options
	release  clusters.Release
	gates    gates.Set
	progress *progress.Reporter
	// dir contains the results.
	dir string
	// provider is set if the cluster exists.
	provider *kind.Provider
}

// create creates the cluster. Meanwhile it builds the images of the drivers.
func (c *cluster) create(ctx context.Context) (err error) {
	id, suffix := run.NewID()
	if c.dir, err = filepath.Abs(filepath.Join(c.artifacts, id)); err != nil {
		return fmt.Errorf("find the folder of the results: %w", err)
	}
	if err := os.MkdirAll(c.dir, 0o755); err != nil {
		return fmt.Errorf("create the folder of the results: %w", err)
	}
	task := c.progress.Task("container engine")
	e, err := engine.Find(ctx)
	if err != nil {
		return task.Fail(err)
	}
	task.Done(e.Name() + " " + e.Version())
	all := []images.Image{images.Workload, images.NodeAgent}
	for _, d := range c.toInstall() {
		all = append(all, d.images(c.release)...)
	}
	options := kind.Options{
		Name: "draconform-vendor-" + suffix, Run: id, Release: c.release, Gates: c.gates, Workers: workers, Images: all, KeepCompiled: true,
		Kubeconfig: filepath.Join(c.dir, "kubeconfig"), Progress: c.progress,
	}
	if c.audit {
		if options.AuditDir, err = c.writeAuditPolicy(ctx); err != nil {
			return err
		}
	}
	provider := kind.New(e, options)
	// After an error, it has removed what it created.
	if _, err := provider.Create(ctx); err != nil {
		return err
	}
	c.provider = provider
	return nil
}

// remove removes the cluster, if it exists and is not to be kept.
func (c *cluster) remove(ctx context.Context) error {
	if c.provider == nil {
		return nil
	}
	if c.keep {
		c.progress.Printf("cluster %s is kept: use it with --kubeconfig %s, remove it with \"bin/draconform cluster delete %s\"",
			c.provider.Name(), c.provider.GetKubeconfig(), c.provider.Name())
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), removeTimeout)
	defer cancel()
	task := c.progress.Task("remove cluster %s", c.provider.Name())
	if err := c.provider.Destroy(ctx); err != nil {
		return task.Fail(err)
	}
	task.Done("")
	return nil
}
