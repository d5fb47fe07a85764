// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/semver"
	"k8s.io/client-go/rest"

	"github.com/draconform/draconform/clusters/controlplane"
	"github.com/draconform/draconform/clusters/images"
	"github.com/draconform/draconform/clusters/nodeimage"
	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/clusters/skew"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/suite/operations"
)

// controlPlaneCluster is a control plane that the run starts on this machine.
type controlPlaneCluster struct {
	*runner
	provider *controlplane.Provider
	// parts are those of the control plane that exist.
	parts controlPlaneParts
	// temp has the program of the bundled scheduler. It is empty if the run has not
	// built one.
	temp string
}

// newControlPlane returns a control plane of the process with these parts. It builds
// those that are missing. Nothing is started.
func (r *runner) newControlPlane(parts controlPlaneParts) *controlPlaneCluster {
	c := &controlPlaneCluster{runner: r, parts: parts}
	c.provider = controlplane.New(controlplane.Options{
		Name: r.ofProcess("draconform-" + r.suffix), Release: r.release, Gates: r.gates, Serve: r.Serve,
		Programs: c.programs, Scheduler: c.scheduler(),
		Kubeconfig: filepath.Join(r.dir, r.ofProcess("kubeconfig")), LogDir: filepath.Join(r.dir, r.ofProcess("control-plane")),
		Keep: r.Keep, Progress: r.Progress,
	})
	return c
}

// programs returns the folder of the programs.
func (c *controlPlaneCluster) programs(ctx context.Context) (dir string, err error) {
	if c.parts.Programs == "" {
		c.parts.Programs, err = nodeimage.Programs(ctx, nodeimage.Options{Release: c.release, Progress: c.Progress})
	}
	return c.parts.Programs, err
}

// scheduler describes the scheduler of the control plane.
func (c *controlPlaneCluster) scheduler() controlplane.Scheduler {
	s := controlplane.Scheduler{Name: c.Scheduler, Config: c.SchedulerConfig, External: c.Scheduler == ExternalScheduler}
	switch {
	case c.SchedulerBinary != "":
		s.Name = filepath.Base(c.SchedulerBinary)
		s.Program = func(context.Context) (string, error) { return filepath.Abs(c.SchedulerBinary) }
	case c.Scheduler == skew.DraconformScheduler:
		s.Program, s.Env, s.Emulates = c.bundledScheduler, images.Scheduler.Env, c.emulates()
	}
	return s
}

// emulates returns the minor release that the bundled scheduler emulates. It is empty
// if that is its own.
func (r *runner) emulates() string {
	if semver.MajorMinor(skew.SchedulerVersion) == "v"+r.release.Minor {
		return ""
	}
	return r.release.Minor
}

// bundledScheduler returns the path of the bundled scheduler. It is built once.
func (c *controlPlaneCluster) bundledScheduler(ctx context.Context) (path string, err error) {
	if c.parts.Scheduler != "" {
		return c.parts.Scheduler, nil
	}
	if c.temp == "" {
		if c.temp, err = os.MkdirTemp("", "draconform-scheduler-"); err != nil {
			return "", err
		}
	}
	task := c.Progress.TaskOf("scheduler", "scheduler %s", c.Scheduler)
	path = filepath.Join(c.temp, images.Scheduler.Binary())
	if err := images.WriteProgram(ctx, path, task.Update, images.Scheduler); err != nil {
		return "", task.Fail(err)
	}
	task.Done("built")
	c.parts.Scheduler = path
	return path, nil
}

func (c *controlPlaneCluster) create(ctx context.Context) (*rest.Config, error) {
	if err := c.expect(); err != nil {
		return nil, err
	}
	if _, err := c.provider.Create(ctx); err != nil {
		return nil, errors.Join(err, c.removeTemp())
	}
	if c.Scheduler == ExternalScheduler {
		if err := c.waitForExternal(ctx); err != nil {
			return nil, errors.Join(err, c.provider.Destroy(ctx))
		}
	}
	return c.provider.KubernetesRestConfig(), nil
}

// expect reports the estimated time until the first spec starts and until the verdict.
func (c *controlPlaneCluster) expect() error {
	exist, err := nodeimage.ProgramsExist(nodeimage.Options{Release: c.release})
	if err != nil {
		return err
	}
	var tasks []progress.ExpectedTask
	if !exist {
		tasks = append(tasks, progress.ExpectedTask{Name: "kubernetes"})
	}
	c.Progress.Expect(progress.Goal{What: "the first spec", Tasks: append(tasks, progress.ExpectedTask{Name: "control plane"})})
	return nil
}

// logs writes nothing: the logs are in the folder of the run.
func (c *controlPlaneCluster) logs(context.Context, string) error { return nil }

// nodes returns nil: there are simulated nodes only.
func (c *controlPlaneCluster) nodes() operations.Nodes { return nil }

func (c *controlPlaneCluster) controlPlane() operations.ControlPlane {
	return c.restartable(c.provider)
}

// restartable returns access to the control plane, unless the run has not started its
// scheduler.
func (r *runner) restartable(own operations.ControlPlane) operations.ControlPlane {
	if r.Scheduler == ExternalScheduler {
		return nil
	}
	return own
}

func (c *controlPlaneCluster) kindName() string { return "" }

// another implements [cluster]. A user who starts the scheduler does so once, and one
// who looks at a control plane that is kept expects all specs there.
func (c *controlPlaneCluster) another(context.Context) (*controlPlaneParts, error) {
	if c.Scheduler == ExternalScheduler || c.Keep {
		return nil, nil
	}
	return &c.parts, nil
}

func (c *controlPlaneCluster) changer() operations.Changer { return nil }

func (c *controlPlaneCluster) owned() bool { return true }

func (c *controlPlaneCluster) kubeconfig() (path, contextName string) {
	return c.provider.GetKubeconfig(), c.provider.GetKubectlContext()
}

func (c *controlPlaneCluster) remove(ctx context.Context) error {
	st := c.Progress.Task("end the control plane")
	if err := errors.Join(c.provider.Destroy(ctx), c.removeTemp()); err != nil {
		return st.Fail(err)
	}
	st.Done("")
	return nil
}

func (c *controlPlaneCluster) removeTemp() error {
	if c.temp == "" {
		return nil
	}
	return os.RemoveAll(c.temp)
}

// describe adds the components, which are not visible as pods.
func (c *controlPlaneCluster) describe(to *report.Cluster) {
	to.Provider, to.Name, to.GateSet, to.Scheduler = ControlPlane, c.provider.Name(), c.gates.Name(), c.Scheduler
	to.Components = append(to.Components, report.Component{Name: "kube-controller-manager", Version: "v" + c.release.Version, Count: 1})
	switch {
	case c.SchedulerBinary != "":
		to.Scheduler = filepath.Base(c.SchedulerBinary)
	case c.Scheduler == skew.KubeScheduler:
		to.Components = append(to.Components, report.Component{Name: "kube-scheduler", Version: "v" + c.release.Version, Count: 1})
	case c.Scheduler == skew.DraconformScheduler:
		to.Components = append(to.Components, report.Component{Name: "kube-scheduler", Version: skew.SchedulerVersion, Emulates: c.emulates(), Count: 1})
	}
}

func (c *controlPlaneCluster) cleanupHint() string {
	var ids []string
	for _, id := range c.provider.Processes() {
		ids = append(ids, fmt.Sprint(id))
	}
	if len(ids) == 0 {
		return fmt.Sprintf("control plane %s does not run, nothing is kept", c.provider.Name())
	}
	return fmt.Sprintf("kept control plane %s\n  use it: export KUBECONFIG=%s\n  end it: kill -9 %s; rm -r %s",
		c.provider.Name(), absolute(c.provider.GetKubeconfig()), strings.Join(ids, " "), strings.TrimSpace(c.provider.Folder()+" "+c.temp))
}
