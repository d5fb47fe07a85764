// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"time"

	"k8s.io/client-go/kubernetes"

	"github.com/draconform/draconform/hack/internal/foreign"
)

// installTimeout bounds the wait until the drivers have published their devices.
const installTimeout = 2 * time.Minute

// toInstall returns the drivers to install. The commands of the start page are for one
// driver. The file that they write for the first one needs no edit: an argument of its
// plugin says how containers see devices.
func (c *cluster) toInstall() []vendored {
	if c.start {
		return drivers[:1]
	}
	return drivers
}

// install creates the objects of the drivers and waits until they have
// published their devices.
func (c *cluster) install(ctx context.Context) error {
	config, err := c.provider.RESTConfig(ctx)
	if err != nil {
		return fmt.Errorf("connect to the cluster: %w", err)
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("connect to the cluster: %w", err)
	}
	for _, d := range c.toInstall() {
		task := c.progress.Task("driver %s", d)
		objects, err := d.objects(c.source, c.release)
		if err != nil {
			return task.Fail(err)
		}
		if err := foreign.Create(ctx, config, objects); err != nil {
			return task.Fail(fmt.Errorf("install driver %s: %w", d, err))
		}
		task.Done("created")
	}
	ctx, cancel := context.WithTimeoutCause(ctx, installTimeout, fmt.Errorf("not published after %s", installTimeout))
	defer cancel()
	for _, d := range c.toInstall() {
		task := c.progress.Task("devices of driver %s", d)
		if err := d.installed().WaitUntilPublished(ctx, client); err != nil {
			return task.Fail(err)
		}
		task.Done("published")
	}
	return nil
}
