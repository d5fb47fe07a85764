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

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"
)

// election is the leader election of a scheduler.
type election struct {
	enabled         bool
	namespace, name string // of the lease
}

// defaultElection is the leader election without a configuration file.
var defaultElection = election{true, metav1.NamespaceSystem, kubeScheduler}

// configureScheduler writes a copy of a KubeSchedulerConfiguration that uses a
// kubeconfig. It returns the leader election of the configuration.
func configureScheduler(from, to, kubeconfig string) (election, error) {
	content, err := os.ReadFile(from)
	if err != nil {
		return election{}, fmt.Errorf("read the configuration of the scheduler: %w", err)
	}
	var all map[string]any
	if err := yaml.Unmarshal(content, &all); err != nil {
		return election{}, fmt.Errorf("read the configuration of the scheduler in %s: %w", from, err)
	}
	if all["kind"] != "KubeSchedulerConfiguration" {
		return election{}, fmt.Errorf("read the configuration of the scheduler in %s: its kind should be KubeSchedulerConfiguration, not %v", from, all["kind"])
	}
	connection, _ := all["clientConnection"].(map[string]any)
	if connection == nil {
		connection = map[string]any{}
	}
	connection["kubeconfig"] = kubeconfig
	all["clientConnection"] = connection
	if content, err = yaml.Marshal(all); err != nil {
		return election{}, fmt.Errorf("configure the scheduler: %w", err)
	}
	if err := os.WriteFile(to, content, 0o600); err != nil {
		return election{}, fmt.Errorf("configure the scheduler: %w", err)
	}
	elects := defaultElection
	fields, _ := all["leaderElection"].(map[string]any)
	if enabled, ok := fields["leaderElect"].(bool); ok {
		elects.enabled = enabled
	}
	if name, _ := fields["resourceName"].(string); name != "" {
		elects.name = name
	}
	if namespace, _ := fields["resourceNamespace"].(string); namespace != "" {
		elects.namespace = namespace
	}
	return elects, nil
}

// holder returns the identity of the scheduler that leads. It is empty if none does.
func (e election) holder(ctx context.Context, client kubernetes.Interface) (string, error) {
	lease, err := client.CoordinationV1().Leases(e.namespace).Get(ctx, e.name, metav1.GetOptions{})
	if err != nil {
		return "", fmt.Errorf("read the lease of the scheduler: %w", err)
	}
	return ptr.Deref(lease.Spec.HolderIdentity, ""), nil
}

// setUpScheduler builds the scheduler, if necessary, and configures it.
func (p *Provider) setUpScheduler(ctx context.Context, programs string) (path, config string, err error) {
	path = filepath.Join(programs, kubeScheduler)
	if p.options.Scheduler.Program != nil {
		if path, err = p.options.Scheduler.Program(ctx); err != nil {
			return "", "", err
		}
	}
	p.election = defaultElection
	if p.options.Scheduler.Config == "" {
		return path, "", nil
	}
	config = filepath.Join(p.dir, "scheduler.yaml")
	p.election, err = configureScheduler(p.options.Scheduler.Config, config, kubeconfigOf(p.dir, kubeScheduler))
	return path, config, err
}

// startScheduler starts the scheduler and waits until it schedules. before is the
// identity of the scheduler that has led before.
func (p *Provider) startScheduler(ctx context.Context, before string) error {
	started, err := p.startProcess(kubeScheduler, p.scheduler.path, schedulerArgs(p.dir, p.ports, &p.options, p.scheduler.config), p.options.Scheduler.Env)
	if err != nil {
		return err
	}
	return waitUntil(ctx, "scheduler "+p.options.Scheduler.Name+" leads", []*process{started}, func(ctx context.Context) error {
		if err := p.get(ctx, p.ports.scheduler, "/readyz"); err != nil {
			return err
		}
		if !p.election.enabled {
			return nil
		}
		now, err := p.election.holder(ctx, p.client)
		if err == nil && (now == "" || now == before) {
			err = errors.New("its process does not lead")
		}
		return err
	})
}

// restartTimeout bounds the wait until a restarted scheduler leads. A lease that was
// not released expires after 15 seconds.
const restartTimeout = time.Minute

// RestartScheduler ends the scheduler and returns when the next process schedules.
func (p *Provider) RestartScheduler(ctx context.Context) error {
	running, ok := p.running[kubeScheduler]
	if !ok {
		return errors.New("restart the scheduler: the control plane has not started one")
	}
	ctx, cancel := context.WithTimeoutCause(ctx, restartTimeout, fmt.Errorf("timed out after %s", restartTimeout))
	defer cancel()
	before := ""
	if p.election.enabled {
		var err error
		if before, err = p.election.holder(ctx, p.client); err != nil {
			return err
		}
	}
	running.terminate(ctx)
	if err := p.startScheduler(ctx, before); err != nil {
		return fmt.Errorf("restart the scheduler: %w", err)
	}
	return nil
}
