// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/draconform/draconform/clusters/internal/clientlimits"
)

// configureScheduler writes a copy of a KubeSchedulerConfiguration that uses a
// kubeconfig and elects no leader. Unless the configuration limits requests itself, it gets
// the limits of all components.
func configureScheduler(from, to, kubeconfig string) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return fmt.Errorf("read the configuration of the scheduler: %w", err)
	}
	var all map[string]any
	if err := yaml.Unmarshal(content, &all); err != nil {
		return fmt.Errorf("read the configuration of the scheduler in %s: %w", from, err)
	}
	if all["kind"] != "KubeSchedulerConfiguration" {
		return fmt.Errorf("read the configuration of the scheduler in %s: its kind should be KubeSchedulerConfiguration, not %v", from, all["kind"])
	}
	client, leader := section(all, "clientConnection"), section(all, "leaderElection")
	client["kubeconfig"] = kubeconfig
	leader["leaderElect"] = false
	if client["qps"] == nil && client["burst"] == nil {
		client["qps"], client["burst"] = clientlimits.QPS, clientlimits.Burst
	}
	if content, err = yaml.Marshal(all); err != nil {
		return fmt.Errorf("configure the scheduler: %w", err)
	}
	if err := os.WriteFile(to, content, 0o600); err != nil {
		return fmt.Errorf("configure the scheduler: %w", err)
	}
	return nil
}

// section returns a section of a configuration, which it adds if there is none.
func section(all map[string]any, name string) map[string]any {
	fields, ok := all[name].(map[string]any)
	if !ok {
		fields = map[string]any{}
		all[name] = fields
	}
	return fields
}

// setUpScheduler builds the scheduler, if necessary, and configures it.
func (p *Provider) setUpScheduler(ctx context.Context, programs string) (path, config string, err error) {
	path = filepath.Join(programs, kubeScheduler)
	if p.options.Scheduler.Program != nil {
		if path, err = p.options.Scheduler.Program(ctx); err != nil {
			return "", "", err
		}
	}
	if p.options.Scheduler.Config == "" {
		return path, "", nil
	}
	config = filepath.Join(p.dir, "scheduler.yaml")
	return path, config, configureScheduler(p.options.Scheduler.Config, config, kubeconfigOf(p.dir, kubeScheduler))
}

// startScheduler starts the scheduler and waits until it schedules.
func (p *Provider) startScheduler(ctx context.Context) error {
	started, err := p.startProcess(ctx, kubeScheduler, p.scheduler.path, schedulerArgs(p.dir, p.ports, &p.options, p.scheduler.config), p.options.Scheduler.Env)
	if err != nil {
		return err
	}
	return waitUntil(ctx, "scheduler "+p.options.Scheduler.Name+" is ready", []*process{started}, func(ctx context.Context) error {
		return p.schedulerReady(ctx)
	})
}

// schedulerReady returns an error unless the scheduler is ready. Those of Kubernetes 1.30
// and older have no /readyz, also if the user has built them.
func (p *Provider) schedulerReady(ctx context.Context) error {
	err := p.get(ctx, p.ports.scheduler, "/readyz")
	if errors.Is(err, errNoPath) {
		return p.get(ctx, p.ports.scheduler, "/healthz")
	}
	return err
}

// restartTimeout bounds the wait until a restarted scheduler is ready. It is that of a busy machine,
// as a spec would blame the scheduler.
const restartTimeout = 3 * time.Minute

// RestartScheduler ends the scheduler and returns when the next process is ready.
func (p *Provider) RestartScheduler(ctx context.Context) error {
	p.mu.Lock()
	running, ok := p.running[kubeScheduler]
	p.mu.Unlock()
	if !ok {
		return errors.New("restart the scheduler: the control plane has not started one")
	}
	if ended := running.endedByItself(); ended != nil {
		return fmt.Errorf("restart the scheduler: %w", ended)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, restartTimeout, fmt.Errorf("timed out after %s", restartTimeout))
	defer cancel()
	running.terminate(ctx)
	if err := p.startScheduler(ctx); err != nil {
		return fmt.Errorf("restart the scheduler: %w", err)
	}
	return nil
}
