// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/draconform/draconform/clusters/controlplane"
	"github.com/draconform/draconform/clusters/images"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
)

// earlierClassic is the release of the driver of classic DRA whose controllers specs start
// themselves.
const earlierClassic = "1.30"

// classicControllers starts controllers as processes of this machine, next to a control
// plane of the run.
type classicControllers struct {
	*runner
	kubeconfig string
}

var _ operations.ClassicControllers = classicControllers{}

// addClassicControllers adds the controllers to what specs find in the cluster, if the
// run can start them. They are built from a checkout.
func (r *runner) addClassicControllers(ctx context.Context, target *env.Target, kubeconfig string) {
	if r.Provider == ControlPlane && r.release.Minor == earlierClassic && images.CheckSource(ctx, images.ClassicEarlier) == nil {
		target.ClassicControllers = classicControllers{r, kubeconfig}
	}
}

// buildClassicController builds the program of the controllers if specs need it. The
// function that it returns removes the program.
func (r *runner) buildClassicController(ctx context.Context, specs []suite.Spec) (remove func() error, err error) {
	remove = func() error { return nil }
	if !slices.ContainsFunc(specs, func(s suite.Spec) bool { return slices.Contains(s.Needs, env.NeedsClassicControllers) }) {
		return remove, nil
	}
	dir, err := os.MkdirTemp("", "draconform-classic-")
	if err != nil {
		return remove, err
	}
	remove = func() error { return os.RemoveAll(dir) }
	task := r.Progress.Task("driver of classic DRA for Kubernetes %s", earlierClassic)
	path := filepath.Join(dir, images.ClassicEarlier.Binary())
	if err := images.WriteProgram(ctx, path, task.Update, images.ClassicEarlier); err != nil {
		return remove, task.Fail(err)
	}
	task.Done("built")
	r.classicProgram = path
	return remove, nil
}

// Start implements [operations.ClassicControllers]. No other instance of the driver runs,
// so that none has to be elected.
func (c classicControllers) Start(ctx context.Context, controller operations.ClassicController) (operations.ClassicProcess, error) {
	if c.classicProgram == "" {
		return nil, errors.New("start a controller of classic DRA: its program was not built")
	}
	logs := filepath.Join(c.dir, "classic-controllers")
	if err := os.MkdirAll(logs, 0o755); err != nil {
		return nil, fmt.Errorf("start a controller of classic DRA: %w", err)
	}
	inventory, err := json.Marshal(map[string]any{"perNode": controller.DevicesPerNode, "nodes": controller.Nodes})
	if err != nil {
		return nil, fmt.Errorf("start a controller of classic DRA: %w", err)
	}
	return controlplane.StartProgram(ctx, "controller of driver "+controller.Driver, c.classicProgram, []string{
		"controller", "--driver-name=" + controller.Driver, "--namespace=" + controller.Namespace, "--kubeconfig=" + c.kubeconfig,
		"--inventory=" + string(inventory), "--leader-elect=false", "-v=4",
	}, filepath.Join(logs, controller.Driver+".log"))
}
