// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"cmp"
	"context"
	"fmt"

	"github.com/draconform/draconform/clusters/doctor"
	"github.com/draconform/draconform/clusters/engine"
	"github.com/draconform/draconform/clusters/kind"
)

// CheckRoom returns an error if clusters that draconform created are running, and this
// machine is too small for one more with this number of workers, or with
// [kind.DefaultWorkers] if it is zero. Its nodes would not become ready, which takes
// minutes to find out.
func CheckRoom(ctx context.Context, e *engine.Engine, workers int) error {
	running, err := kind.List(ctx, e)
	if err != nil {
		return err
	}
	return checkRoom(ctx, running, workers, doctor.NoRoom)
}

func checkRoom(ctx context.Context, found []kind.Cluster, workers int, noRoom func(context.Context, ...int) string) error {
	all, first := []int{cmp.Or(workers, kind.DefaultWorkers)}, ""
	for _, c := range found {
		if c.State == "running" {
			all, first = append(all, len(c.Nodes)-1), c.Name
		}
	}
	if first == "" {
		return nil // "draconform doctor" checks the machine for one cluster.
	}
	if reason := noRoom(ctx, all...); reason != "" {
		return fmt.Errorf("no room for another cluster: %s; or delete one, such as by \"draconform cluster delete %s\"", reason, first)
	}
	return nil
}
