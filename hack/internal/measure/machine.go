// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package measure

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/draconform/draconform/clusters"
)

// Machine describes the measured machine and versions.
type Machine struct {
	Date, Commit, Processor, Memory, System, Kernel, Go, Kubernetes string
	Cores                                                           int
}

// DescribeMachine describes this machine, and the commit of the working directory.
func DescribeMachine(ctx context.Context) (Machine, error) {
	m := Machine{Date: time.Now().UTC().Format(time.DateOnly), Cores: runtime.NumCPU(), Kubernetes: clusters.Newest().Version}
	for _, c := range []struct {
		into *string
		args []string
	}{
		{&m.Commit, []string{"git", "rev-parse", "--short=12", "HEAD"}},
		{&m.Kernel, []string{"uname", "--kernel-release"}},
		{&m.Go, []string{"go", "env", "GOVERSION"}},
		{&m.Processor, []string{"sed", "-n", `/^model name/{s/.*: //p;q}`, "/proc/cpuinfo"}},
		{&m.System, []string{"sed", "-n", `s/^PRETTY_NAME="\(.*\)"/\1/p`, "/etc/os-release"}},
	} {
		out, err := exec.CommandContext(ctx, c.args[0], c.args[1:]...).Output()
		if err != nil {
			return m, fmt.Errorf("describe this machine: %s: %w", strings.Join(c.args, " "), err)
		}
		*c.into = strings.TrimSpace(string(out))
	}
	meminfo, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return m, err
	}
	var kib int64
	if _, err := fmt.Sscanf(string(meminfo), "MemTotal: %d kB", &kib); err != nil {
		return m, fmt.Errorf("read the size of memory: %w", err)
	}
	m.Memory = fmt.Sprintf("%d GiB", (kib+(1<<19))>>20)
	return m, nil
}

// Describe returns the sentences of a page that state when and where a number of
// rounds was measured.
func (m Machine) Describe(rounds int) string {
	plural := "s"
	if rounds == 1 {
		plural = ""
	}
	return fmt.Sprintf(`Measured on %s at commit %s, Kubernetes %s, %s, on %d cores of %s with
%s of memory, %s, Linux %s, without other load. Median of %d round%s`,
		m.Date, m.Commit, m.Kubernetes, m.Go, m.Cores, m.Processor, m.Memory, m.System, m.Kernel, rounds, plural)
}
