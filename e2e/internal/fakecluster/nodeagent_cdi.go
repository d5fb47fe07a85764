// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"github.com/draconform/draconform/e2e/nodeagent/api"
)

// cdiDir is where the drivers write CDI files.
const cdiDir = "/var/run/cdi"

// CDIFiles returns one file for each prepared claim.
func (a Agent) CDIFiles(_ context.Context, node string) ([]api.CDIFile, error) {
	c := a.cluster
	c.mu.Lock()
	defer c.mu.Unlock()
	c.advance()
	d := c.driverOn(node)
	files := []api.CDIFile{}
	for _, uid := range slices.Sorted(maps.Keys(d.devices)) {
		if d.lost[uid] || c.WithoutCDI {
			continue
		}
		var names []string
		for _, held := range d.devices[uid] {
			names = append(names, held.CDIDevices...)
		}
		content := strings.Join(names, "\n")
		files = append(files, api.CDIFile{
			Path: cdiPath(uid), Size: int64(len(content)), SHA256: fmt.Sprintf("%x", sha256.Sum256([]byte(content))), Devices: names,
		})
	}
	if change := c.Mistakes.Mislists; change != nil {
		files = change(files)
	}
	return files, nil
}

// cdiPath returns the path of the CDI file of a claim.
func cdiPath(uid types.UID) string { return fmt.Sprintf("%s/fake-%s.json", cdiDir, uid) }

// HideCDIFiles hides the files of claims.
func (a Agent) HideCDIFiles(_ context.Context, node string, files api.CDIFileVersions) error {
	var paths []string
	for _, file := range files.Files {
		paths = append(paths, file.Path)
	}
	return a.setLost(node, paths, true)
}

// RestoreCDIFiles restores the files of claims.
func (a Agent) RestoreCDIFiles(_ context.Context, node string, paths []string) error {
	return a.setLost(node, paths, false)
}

// DiscardCDIFiles does nothing: hidden files of unprepared claims are not restored.
func (Agent) DiscardCDIFiles(context.Context, string, []string) error { return nil }

func (a Agent) setLost(node string, paths []string, lost bool) error {
	c := a.cluster
	c.mu.Lock()
	defer c.mu.Unlock()
	d := c.driverOn(node)
	for uid := range d.devices {
		if slices.Contains(paths, cdiPath(uid)) {
			d.lost[uid] = lost
		}
	}
	return nil
}
