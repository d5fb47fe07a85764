// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package kind

import (
	"fmt"

	"sigs.k8s.io/kind/pkg/log"
)

// taskLogger writes the log messages of kind as the status of a task.
type taskLogger struct {
	update func(format string, args ...any) // the task's Update method
	// joining, if set, is called when kind begins to let workers join, and when it has
	// done so.
	joining func()
}

// joiningWorkers is kind's message about it.
const joiningWorkers = "Joining worker nodes"

var _ log.Logger = &taskLogger{}

// Warn shows the message as the status of the task. kind uses warnings for
// problems that it handles itself.
func (l *taskLogger) Warn(message string) {
	words := firstWords(message)
	l.update("%s", words)
	if words == joiningWorkers && l.joining != nil {
		l.joining()
	}
}

func (l *taskLogger) Warnf(format string, args ...any)  { l.Warn(fmt.Sprintf(format, args...)) }
func (l *taskLogger) Error(message string)              { l.Warn(message) }
func (l *taskLogger) Errorf(format string, args ...any) { l.Warn(fmt.Sprintf(format, args...)) }

func (l *taskLogger) V(level log.Level) log.InfoLogger {
	return infoLogger{l, level == 0}
}

type infoLogger struct {
	logger  *taskLogger
	enabled bool
}

func (l infoLogger) Enabled() bool { return l.enabled }

func (l infoLogger) Info(message string) {
	if l.enabled {
		l.logger.Warn(message)
	}
}

func (l infoLogger) Infof(format string, args ...any) { l.Info(fmt.Sprintf(format, args...)) }
