// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"k8s.io/client-go/rest"

	"github.com/draconform/draconform/clusters/engine"
	"github.com/draconform/draconform/clusters/kind"
	"github.com/draconform/draconform/clusters/skew"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// leftCluster is a kind cluster that a journey has left as it had found it, for another
// journey that starts with such a cluster.
type leftCluster struct {
	Name string `json:"name"`
	// Kubeconfig is an absolute path.
	Kubeconfig string `json:"kubeconfig"`
}

// leftFile is the name of the file about a cluster that a journey has left, in the folder
// of its run.
const leftFile = "left.json"

// take returns the client configuration of the cluster that another journey has left.
func (k *kindCluster) take(ctx context.Context) (*rest.Config, error) {
	st := k.Progress.Task("cluster %s of an earlier journey", k.taken.Name)
	provider, err := kind.Find(ctx, k.engine, k.taken.Name, k.taken.Kubeconfig)
	if err != nil {
		return nil, st.Fail(err)
	}
	k.provider = provider
	st.Done("")
	return provider.KubernetesRestConfig(), nil
}

// finish removes the cluster of a run, or leaves it to another journey. result is the
// error of the run so far.
func (r *runner) finish(ctx context.Context, cl cluster, results []suite.Result, result error) error {
	if r.handsOn && result == nil && !suite.AnyFailed(results) {
		err := r.leave(ctx, cl)
		if err == nil {
			return nil
		}
		r.Progress.Printf("the cluster is not for another journey: %v", err)
	}
	return r.remove(ctx, cl)
}

// leave leaves the cluster of a journey to another one. It returns an error if the journey
// has not restored the cluster.
func (r *runner) leave(ctx context.Context, cl cluster) error {
	if r.isLegacy() {
		return errors.New("drivers of classic DRA stay in their cluster")
	}
	changer := cl.changer()
	state, err := changer.State(ctx)
	if err != nil {
		return err
	}
	target := env.Target{Changer: changer, State: state, Workers: r.report.Cluster.Workers}
	if err := errors.Join(restored(r.selected, target), settled(state)); err != nil {
		return err
	}
	path, _ := cl.kubeconfig()
	content, err := json.Marshal(leftCluster{cl.kindName(), absolute(path)})
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(r.dir, leftFile), content, 0o600); err != nil {
		return err
	}
	r.Progress.Printf("cluster %s is left to another journey", cl.kindName())
	return nil
}

// restored returns an error if a cluster is not the one that journeys start with.
func restored(journeys []suite.Spec, target env.Target) error {
	for _, s := range journeys {
		if why := s.Journey.InitialCluster.Mismatch(target); why != "" {
			return fmt.Errorf("journey %s %s", s.ID, why)
		}
	}
	return nil
}

// settled returns an error if a component does not run as it is configured.
func settled(state skew.State) error {
	for _, r := range state {
		switch {
		case r.Stopped:
			return fmt.Errorf("%s is stopped", r.Instance)
		case r.Silent:
			return fmt.Errorf("%s does not answer", r.Instance)
		case r.Unsettled != "":
			return fmt.Errorf("%s: %s", r.Instance, r.Unsettled)
		}
	}
	return nil
}

// readLeft returns the cluster that a journey has left, or nil, given the folder of its
// run, if there is one.
func readLeft(dir string) (*leftCluster, error) {
	if dir == "" {
		return nil, nil
	}
	content, err := os.ReadFile(filepath.Join(dir, leftFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("find out which cluster is left: %w", err)
	}
	var left leftCluster
	if err := json.Unmarshal(content, &left); err != nil {
		return nil, fmt.Errorf("find out which cluster is left: %s: %w", leftFile, err)
	}
	return &left, nil
}

// removeLeft removes a cluster that no other journey takes. It does nothing if the cluster
// does not exist: the journey that took it may have removed it.
func removeLeft(ctx context.Context, left leftCluster) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTimeout)
	defer cancel()
	e, err := engine.Find(ctx)
	if err != nil {
		return fmt.Errorf("remove cluster %s: %w", left.Name, err)
	}
	all, err := kind.List(ctx, e)
	if err != nil {
		return fmt.Errorf("remove cluster %s: %w", left.Name, err)
	}
	if !slices.ContainsFunc(all, func(c kind.Cluster) bool { return c.Name == left.Name }) {
		return nil
	}
	provider, err := kind.Find(ctx, e, left.Name, left.Kubeconfig)
	if err != nil {
		return fmt.Errorf("remove cluster %s: %w", left.Name, err)
	}
	return provider.Destroy(ctx)
}
