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
	"strings"

	"github.com/draconform/draconform/clusters/controlplane"
	"github.com/draconform/draconform/clusters/images"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
)

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
	if r.Provider == ControlPlane && r.classicImage(ctx) != nil {
		target.ClassicControllers = classicControllers{r, kubeconfig}
	}
}

// startsControllers reports whether a spec starts controllers of a driver.
func startsControllers(s suite.Spec) bool {
	return slices.Contains(s.Needs, env.NeedsClassicControllers) || slices.Contains(s.Needs, env.NeedsClassicAllocator)
}

// buildClassicController builds the program of the controllers if specs of a control plane
// need it. The function that it returns removes the program.
func (r *runner) buildClassicController(ctx context.Context, specs []suite.Spec) (remove func() error, err error) {
	remove = func() error { return nil }
	if r.Provider != ControlPlane || !slices.ContainsFunc(specs, startsControllers) {
		return remove, nil
	}
	dir, err := os.MkdirTemp("", "draconform-classic-")
	if err != nil {
		return remove, err
	}
	remove = func() error { return os.RemoveAll(dir) }
	task := r.Progress.Task("driver of classic DRA for Kubernetes %s", r.release.Minor)
	image := *classicImages[r.release.Minor]
	path := filepath.Join(dir, image.Binary())
	if err := images.WriteProgram(ctx, path, task.Update, image); err != nil {
		return remove, task.Fail(err)
	}
	task.Done("built")
	r.classicProgram = path
	return remove, nil
}

// logOf returns the path of the log of a driver's controllers.
func (c classicControllers) logOf(driver string) string {
	return filepath.Join(c.dir, "classic-controllers", driver+".log")
}

// Start implements [operations.ClassicControllers]. No other instance of the driver runs,
// so that it need not be elected.
func (c classicControllers) Start(ctx context.Context, controller operations.ClassicController) (operations.ClassicProcess, error) {
	if c.classicProgram == "" {
		return nil, errors.New("start a controller of classic DRA: its program was not built")
	}
	log := c.logOf(controller.Driver)
	if err := os.MkdirAll(filepath.Dir(log), 0o755); err != nil {
		return nil, fmt.Errorf("start a controller of classic DRA: %w", err)
	}
	inventory, err := json.Marshal(map[string]any{
		"perNode": controller.DevicesPerNode, "network": controller.NetworkDevices, "limit": controller.Limit, "nodes": controller.Nodes,
	})
	if err != nil {
		return nil, fmt.Errorf("start a controller of classic DRA: %w", err)
	}
	return controlplane.StartProgram(ctx, "controller of driver "+controller.Driver, c.classicProgram, []string{
		"controller", "--driver-name=" + controller.Driver, "--namespace=" + controller.Namespace, "--kubeconfig=" + c.kubeconfig,
		"--inventory=" + string(inventory), fmt.Sprintf("--leader-elect=%t", controller.Elect), "-v=4",
	}, classicImages[c.release.Minor].Env, log)
}

// Parameters implements [operations.ClassicControllers].
func (classicControllers) Parameters(nodes ...string) map[string]string {
	return map[string]string{"parameters": fmt.Sprintf(`{"nodes":[%s]}`, `"`+strings.Join(nodes, `","`)+`"`)}
}

// Opaque implements [operations.ClassicControllers].
func (classicControllers) Opaque(nodes ...string) map[string]any {
	return map[string]any{"nodes": nodes}
}

// Log implements [operations.ClassicControllers].
func (c classicControllers) Log(driver string) ([]byte, error) {
	content, err := os.ReadFile(c.logOf(driver))
	if err != nil {
		return nil, fmt.Errorf("read the log of a controller of classic DRA: %w", err)
	}
	return content, nil
}
