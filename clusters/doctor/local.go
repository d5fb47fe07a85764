// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/draconform/draconform/clusters/engine"
	"github.com/draconform/draconform/clusters/engine/caps"
)

// Local is the machine of this process, with the container engine that
// engine.Find returns.
type Local struct{}

// readTimeout limits the time for all calls of the engine and the tools.
const readTimeout = time.Minute

// inotifyInstances is the file with the limit of inotify instances.
const inotifyInstances = "/proc/sys/fs/inotify/max_user_instances"

// Read implements Host. If the engine is Docker, it starts one privileged
// container from an empty image, and removes both.
func (Local) Read(ctx context.Context) Readings {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	r := Readings{
		Machine:          read(thisMachine()),
		InotifyInstances: read(number(inotifyInstances)),
		InotifyWatches:   read(number("/proc/sys/fs/inotify/max_user_watches")),
		Overlay:          read(hasOverlay()),
		GoVersion:        read(goVersion(ctx)),
		Mmdebstrap:       read(exec.LookPath("mmdebstrap")),
	}
	_, err := exec.LookPath("apt-get")
	r.CanInstall = err == nil && os.Geteuid() == 0
	r.readEngine(ctx)
	r.DiskFree = read(DiskFree(r.Machine.Value.DataRoot))
	return r
}

// readEngine reads the engine and the machine on which the engine runs
// containers. That machine replaces this one in the readings.
func (r *Readings) readEngine(ctx context.Context) {
	found, err := engine.Find(ctx)
	if err != nil {
		r.Engine.Err = err
		return
	}
	info, err := found.Info(ctx)
	if err != nil {
		r.Engine.Err = err
		return
	}
	r.Engine.Value = Engine{Name: found.Name(), Info: info}
	r.Machine = read(Machine{
		CgroupVersion: info.CgroupVersion,
		DataRoot:      info.DataRoot,
		MemoryBytes:   info.MemoryBytes,
		Cores:         info.Cores,
	}, nil)
	if strings.HasPrefix(info.StorageDriver, "overlay") {
		r.Overlay = read(true, nil)
	}
	r.Privileged = read(readPrivileged(ctx, found))
}

// DiskFree returns the number of bytes that an unprivileged user can write to
// the disk of the path.
func DiskFree(path string) (uint64, error) {
	var stat unix.Statfs_t
	if err := unix.Statfs(path, &stat); err != nil {
		return 0, fmt.Errorf("read the free disk in %s: %w", path, err)
	}
	return stat.Bavail * uint64(stat.Bsize), nil //nolint:gosec // No file system has blocks of negative size.
}

// thisMachine returns the values of this machine, which are used if there is no
// engine. Engines keep images below /var/lib.
func thisMachine() (Machine, error) {
	m := Machine{DataRoot: "/var/lib", Cores: runtime.NumCPU()}
	if _, err := os.Stat("/sys/fs/cgroup/cgroup.controllers"); err == nil {
		m.CgroupVersion = 2
	} else if _, err := os.Stat("/sys/fs/cgroup/memory"); err == nil {
		m.CgroupVersion = 1
	}
	content, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return m, fmt.Errorf("read the memory: %w", err)
	}
	m.MemoryBytes, err = memTotal(content)
	return m, err
}

// memTotal returns the value of the line "MemTotal: <n> kB" of /proc/meminfo in
// bytes.
func memTotal(meminfo []byte) (uint64, error) {
	lines := bufio.NewScanner(bytes.NewReader(meminfo))
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) == 3 && fields[0] == "MemTotal:" && fields[2] == "kB" {
			kib, err := strconv.ParseUint(fields[1], 10, 64)
			if err != nil {
				return 0, fmt.Errorf("read the memory: %w", err)
			}
			return kib << 10, nil
		}
	}
	return 0, fmt.Errorf("read the memory: no line MemTotal in /proc/meminfo")
}

func number(path string) (int, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(content)))
	if err != nil {
		return 0, fmt.Errorf("read %s: %w", path, err)
	}
	return n, nil
}

func hasOverlay() (bool, error) {
	content, err := os.ReadFile("/proc/filesystems")
	if err != nil {
		return false, err
	}
	for line := range strings.Lines(string(content)) {
		if fields := strings.Fields(line); len(fields) > 0 && fields[len(fields)-1] == "overlay" {
			return true, nil
		}
	}
	return false, nil
}

func goVersion(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "version").Output()
	return strings.TrimSpace(string(out)), err
}

// readPrivileged tries to start a privileged container with Docker. It does not
// try with Podman, because its runtime looks up the command before it sets up
// the privileges, so the trial would not show whether they work. Podman also
// omits withheld capabilities on its own.
func readPrivileged(ctx context.Context, e *engine.Engine) (Privileged, error) {
	var p Privileged
	// Outside of Linux, the engine runs on another machine with its own
	// capabilities.
	if runtime.GOOS == "linux" {
		withheld, err := caps.Withheld()
		if err != nil {
			return p, err
		}
		p.Withheld = withheld
	}
	if e.Name() != "docker" {
		return p, nil
	}
	started, err := tryPrivileged(ctx, e)
	if err != nil {
		return p, err
	}
	p.Tried, p.StartErr = true, started
	return p, nil
}
