package kind

import (
	"fmt"

	"sigs.k8s.io/kind/pkg/log"
)

// stageLogger writes the log messages of kind as the status of a stage.
type stageLogger struct {
	update func(format string, args ...any) // the stage's Update method
}

var _ log.Logger = &stageLogger{}

// Warn shows the message as the status of the stage. kind uses warnings for
// problems that it handles itself.
func (l *stageLogger) Warn(message string)               { l.update("%s", firstWords(message)) }
func (l *stageLogger) Warnf(format string, args ...any)  { l.Warn(fmt.Sprintf(format, args...)) }
func (l *stageLogger) Error(message string)              { l.Warn(message) }
func (l *stageLogger) Errorf(format string, args ...any) { l.Warn(fmt.Sprintf(format, args...)) }

func (l *stageLogger) V(level log.Level) log.InfoLogger {
	return infoLogger{l, level == 0}
}

type infoLogger struct {
	logger  *stageLogger
	enabled bool
}

func (l infoLogger) Enabled() bool { return l.enabled }

func (l infoLogger) Info(message string) {
	if l.enabled {
		l.logger.Warn(message)
	}
}

func (l infoLogger) Infof(format string, args ...any) { l.Info(fmt.Sprintf(format, args...)) }
