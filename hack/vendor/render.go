// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"sigs.k8s.io/yaml"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/images"
	"github.com/draconform/draconform/clusters/progress"
)

// render writes what a vendor has: an archive with the images of the drivers,
// images.tar, and the manifest that installs them, manifest.yaml.
func render(ctx context.Context, o options, release clusters.Release, p *progress.Reporter) error {
	if err := os.MkdirAll(o.render, 0o755); err != nil {
		return fmt.Errorf("create the folder of the drivers: %w", err)
	}
	var manifest bytes.Buffer
	var all []images.Image
	for _, d := range drivers {
		all = append(all, d.images(release)...)
		objects, err := d.objects(o.source, release)
		if err != nil {
			return err
		}
		for _, object := range objects {
			content, err := yaml.Marshal(object)
			if err != nil {
				return fmt.Errorf("encode the manifest of driver %s: %w", d, err)
			}
			fmt.Fprintf(&manifest, "---\n%s", content)
		}
	}
	if err := os.WriteFile(filepath.Join(o.render, "manifest.yaml"), manifest.Bytes(), 0o644); err != nil {
		return fmt.Errorf("write the manifest of the drivers: %w", err)
	}
	task := p.Task("images of the drivers")
	if err := images.WriteArchive(ctx, filepath.Join(o.render, "images.tar"), task.Update, all...); err != nil {
		return task.Fail(err)
	}
	task.Done(o.render)
	return nil
}
