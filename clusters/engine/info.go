// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Info describes an engine and the machine that it runs containers on. With
// Docker Desktop and Podman machine, that is a virtual machine.
type Info struct {
	Version         string
	CgroupVersion   int      // 1 or 2; 0 if unknown
	StorageDriver   string   // overlay2, overlayfs, btrfs, ...
	DataRoot        string   // folder of images and containers on that machine
	Rootless        bool     // whether the engine runs as an unprivileged user
	MemoryBytes     uint64   // total memory
	Cores           int      // logical processors
	SecurityOptions []string // sorted names: apparmor, seccomp, selinux, userns, ...
	DefaultRuntime  string   // name of the default OCI runtime: runc, crun, ...
}

// Info returns the description of the engine.
func (e *Engine) Info(ctx context.Context) (Info, error) {
	format, parse := "{{json .}}", parseDocker
	if e.name == podman {
		format, parse = "json", parsePodman
	}
	out, err := e.Output(ctx, "info", "--format", format)
	if err != nil {
		return Info{}, err
	}
	info, err := parse([]byte(out))
	if err != nil {
		return Info{}, fmt.Errorf("engine: parse %s info: %w", e.name, err)
	}
	slices.Sort(info.SecurityOptions)
	return info, nil
}

func parseDocker(content []byte) (Info, error) {
	var from struct {
		ServerVersion   string
		CgroupVersion   string
		Driver          string
		DockerRootDir   string
		MemTotal        uint64
		NCPU            int
		SecurityOptions []string
		DefaultRuntime  string
		ServerErrors    []string
	}
	if err := json.Unmarshal(content, &from); err != nil {
		return Info{}, err
	}
	// Older clients succeed even if the engine does not respond. They report
	// the errors here.
	if len(from.ServerErrors) > 0 {
		return Info{}, fmt.Errorf("the engine does not answer: %s", strings.Join(from.ServerErrors, "; "))
	}
	var options []string
	for _, option := range from.SecurityOptions {
		// An option has the form name=seccomp,profile=default.
		name, _, _ := strings.Cut(strings.TrimPrefix(option, "name="), ",")
		options = append(options, name)
	}
	return Info{
		Version:         from.ServerVersion,
		CgroupVersion:   cgroupVersion(from.CgroupVersion),
		StorageDriver:   from.Driver,
		DataRoot:        from.DockerRootDir,
		Rootless:        slices.Contains(options, "rootless"),
		MemoryBytes:     from.MemTotal,
		Cores:           from.NCPU,
		SecurityOptions: options,
		DefaultRuntime:  from.DefaultRuntime,
	}, nil
}

func parsePodman(content []byte) (Info, error) {
	var from struct {
		Host struct {
			CgroupVersion string
			Cpus          int
			MemTotal      uint64
			OCIRuntime    struct{ Name string }
			Security      struct{ AppArmorEnabled, Rootless, SeccompEnabled, SELinuxEnabled bool }
		}
		Store   struct{ GraphDriverName, GraphRoot string }
		Version struct{ Version string }
	}
	if err := json.Unmarshal(content, &from); err != nil {
		return Info{}, err
	}
	var options []string
	for name, enabled := range map[string]bool{
		"apparmor": from.Host.Security.AppArmorEnabled,
		"rootless": from.Host.Security.Rootless,
		"seccomp":  from.Host.Security.SeccompEnabled,
		"selinux":  from.Host.Security.SELinuxEnabled,
	} {
		if enabled {
			options = append(options, name)
		}
	}
	return Info{
		Version:         from.Version.Version,
		CgroupVersion:   cgroupVersion(from.Host.CgroupVersion),
		StorageDriver:   from.Store.GraphDriverName,
		DataRoot:        from.Store.GraphRoot,
		Rootless:        from.Host.Security.Rootless,
		MemoryBytes:     from.Host.MemTotal,
		Cores:           from.Host.Cpus,
		SecurityOptions: options,
		DefaultRuntime:  from.Host.OCIRuntime.Name,
	}, nil
}

// cgroupVersion parses "1", "2", "v1" and "v2". It returns 0 for anything else.
func cgroupVersion(s string) int {
	version, err := strconv.Atoi(strings.TrimPrefix(s, "v"))
	if err != nil {
		return 0
	}
	return version
}
