// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/draconform/draconform/clusters/engine/caps"
	"github.com/draconform/draconform/internal/gocmd"
)

const (
	runtimeName    = "draconform"
	runtimePackage = "github.com/draconform/draconform/hack/ociwrap"
	buildTimeout   = 5 * time.Minute
)

// wrapRuntime builds the OCI runtime wrapper, which only requests the
// capabilities that this host grants. It returns the flags of dockerd that make
// the wrapper the default runtime.
func (s setup) wrapRuntime(ctx context.Context, withheld caps.Set) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, buildTimeout)
	defer cancel()
	runc, err := exec.LookPath("runc")
	if err != nil {
		return nil, fmt.Errorf("find runc, which Docker's package depends on: %w", err)
	}
	task := s.Task("build an OCI runtime without %s, which this host withholds", withheld)
	// Build to another file and rename it: the existing file may be in use.
	fresh := s.files.runtime + ".new"
	// With -buildvcs, git fails if root runs it in another user's checkout.
	err = gocmd.Build(ctx, ".", func(done gocmd.Done) { task.Update("%s", done) }, []string{"CGO_ENABLED=0"},
		"-buildvcs=false", "-ldflags", "-s -w -X main.runc="+runc, "-o", fresh, runtimePackage)
	if err != nil {
		return nil, task.Fail(fmt.Errorf("build the OCI runtime %s: %w", runtimePackage, err))
	}
	if err := os.Rename(fresh, s.files.runtime); err != nil {
		return nil, task.Fail(fmt.Errorf("install the OCI runtime: %w", err))
	}
	task.Done("")
	return []string{"--add-runtime=" + runtimeName + "=" + s.files.runtime, "--default-runtime=" + runtimeName}, nil
}

// checkConfig returns an error if the user's configuration file sets one of the
// flags: dockerd does not start if an option is set in both places.
func checkConfig(path string, flags []string) error {
	content, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read Docker's configuration: %w", err)
	}
	var config map[string]any
	if err := json.Unmarshal(content, &config); err != nil {
		return fmt.Errorf("parse Docker's configuration %s: %w", path, err)
	}
	for _, flag := range flags {
		name, _, _ := strings.Cut(strings.TrimPrefix(flag, "--"), "=")
		key := name
		if name == "add-runtime" {
			key = "runtimes"
		}
		if _, ok := config[key]; ok {
			return fmt.Errorf("docker has to be started with --%s here, but %s sets %q and dockerd does not start if it is set twice: "+
				"remove it there, or start an engine yourself", name, path, key)
		}
	}
	return nil
}
