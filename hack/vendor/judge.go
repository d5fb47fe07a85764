// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/run"
	"github.com/draconform/draconform/e2e/subject/driverfile"
	"github.com/draconform/draconform/hack/internal/draconform"
)

// runTimeout bounds the run of the specs.
const runTimeout = 40 * time.Minute

// judge runs the specs for the drivers and returns the report. The output of the
// run goes to out.
func (c *cluster) judge(ctx context.Context, out io.Writer) (report.Report, error) {
	args := []string{
		"run", "--provider", run.Existing, "--kubeconfig", c.provider.GetKubeconfig(), "--context", c.provider.GetKubectlContext(),
		"--kind-cluster", c.provider.Name(), "--node-agent", "--parallel", strconv.Itoa(processes), "--timeout-scale", strconv.FormatFloat(c.scale, 'g', -1, 64),
	}
	files, err := c.driverFlags()
	if err != nil {
		return report.Report{}, err
	}
	args = append(args, files...)
	if c.focus != "" {
		args = append(args, "--focus", c.focus)
	}
	got, err := draconform.Run{
		Command: c.draconform, Args: args, Dir: filepath.Join(c.dir, "run"), Progress: out,
		Timeout: runTimeout, CleanUp: removeTimeout,
	}.Report(ctx)
	if err != nil {
		return report.Report{}, fmt.Errorf("judge the drivers: %w", err)
	}
	return got, nil
}

// driverFlags returns the flags with the driver files of all drivers.
func (c *cluster) driverFlags() ([]string, error) {
	var flags []string
	for _, d := range drivers {
		file, err := d.describe(c.source, c.dir, c.release)
		if err != nil {
			return nil, err
		}
		flags = append(flags, "--driver", file)
	}
	return flags, nil
}

// describe writes the driver file for a release to a folder and returns its
// path. The drivers have the version of their release.
func (v vendored) describe(source, dir string, release clusters.Release) (string, error) {
	path := v.driverFile(source)
	content, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("read the driver file of %s: %w", v, err)
	}
	described, err := driverfile.Read(path)
	if err != nil {
		return "", err
	}
	if len(described) != 1 || described[0].Implementation == nil {
		return "", fmt.Errorf("driver file %s must describe one driver, with its implementation", path)
	}
	version := []byte("\n  version: " + described[0].Implementation.Version + "\n")
	if bytes.Count(content, version) != 1 {
		return "", fmt.Errorf("driver file %s must have one line %q", path, bytes.TrimSpace(version))
	}
	content = bytes.Replace(content, version, []byte("\n  version: v"+release.Version+"\n"), 1)
	copied := filepath.Join(dir, filepath.Base(path))
	if err := os.WriteFile(copied, content, 0o644); err != nil {
		return "", fmt.Errorf("write a driver file: %w", err)
	}
	return copied, nil
}
